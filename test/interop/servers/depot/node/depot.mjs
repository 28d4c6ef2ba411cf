/** The depot as a server of the `soap` package. `WSDL=file PORT=8081 node depot.mjs`. With WRONG=1 every answer is wrong, as a control. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { listen } from 'soap';

const notes = [];
const xsi = 'http://www.w3.org/2001/XMLSchema-instance';
const xsiType = (attributes) => {
  const [, type = ''] = /:(\w+)$/.exec(attributes['xsi:type'].type ?? attributes['xsi:type']) ?? [];
  return { 'xsi:type': `tns:${type}`, 'xmlns:xsi': xsi };
};

const handlers = {
  LogIn: () => ({ since: 'today' }),
  GetParcel({ id }, _callback, headers) {
    if (id === 'none')
      throw {
        Fault: {
          faultcode: 'soap:Client',
          faultstring: 'No such parcel',
          detail: { 'tns:ParcelNotFound': { 'tns:id': id, 'tns:line': [7, 9] } },
        },
      };
    if (id === 'broken') throw { Fault: { faultcode: 'soap:Server', faultstring: 'Out of order' } };
    const owner = headers?.Session?.sessionId;
    const parcel = { id, weight: '2.50', pieces: 3, sent: '2026-01-02T03:04:05Z', tag: ['a', 'b & c'] };
    return { parcel: owner === undefined ? parcel : { ...parcel, owner } };
  },
  Pack: ({ box }) => ({ box }),
  // The type of a request is an attribute, whose prefix is that of the caller.
  Send: ({ carrier: { attributes, ...carrier } }) => ({ carrier: { attributes: xsiType(attributes), ...carrier } }),
  Notify({ text }) {
    notes.push(text);
    return {};
  },
  GetNotes: () => ({ note: notes }),
};

const isWrong = process.env.WRONG === '1';
const wrong = {
  ...handlers,
  GetParcel: ({ id }) => ({
    parcel: { id, weight: '2.51', pieces: 3, sent: '2026-01-02T03:04:05Z', tag: ['b & c', 'a'] },
  }),
  Pack: ({ box }) => ({ box: { label: box.label } }),
  Send: ({ carrier: { name } }) => ({ carrier: { name } }),
  Notify: () => ({}),
};
const chosen = isWrong ? wrong : handlers;

const server = createServer((_, response) => response.end());
server.listen(Number(process.env.PORT), '127.0.0.1', () => {
  const service = listen(server, {
    path: '/depot',
    services: { Depot: { Depot11: chosen, Depot12: chosen } },
    xml: readFileSync(process.env.WSDL, 'utf8'),
  });
  service.addSoapHeader((method, input) =>
    method === 'LogIn' && !isWrong ? `<tns:Session><tns:sessionId>s-${input.user}</tns:sessionId></tns:Session>` : '',
  );
});
