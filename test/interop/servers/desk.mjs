/** A SOAP server with declared faults, headers and a one-way operation, by the `soap` package. With PASSWORD it demands a UsernameToken, with ADDRESSING the headers of WS-Addressing. `WSDL=file PORT=8081 RECEIVED=file node desk.mjs` */
import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { listen } from 'soap';

const fault = (faultcode, faultstring, detail) => {
  throw { Fault: { faultcode: `soap:${faultcode}`, faultstring, detail } };
};

const handlers = {
  LogIn: () => ({ since: 'today' }),
  GetTicket({ id }, _callback, headers) {
    const isAddressed = headers?.Action === 'urn:example:desk#GetTicket' && headers.To && headers.MessageID;
    if (process.env.ADDRESSING && !isAddressed) fault('Client', 'A required header is missing: WS-Addressing');
    if (id === 'none')
      fault('Client', 'No such ticket', { 'tns:TicketNotFound': { 'tns:id': id, 'tns:lines': [7, 9] } });
    if (id === 'late') fault('Server', 'Closed', { 'tns:DeskClosed': 'since <noon> & "later"' });
    if (id === 'broken') fault('Server', 'Broken');
    const sent = headers?.Session?.sessionId;
    return { title: `Ticket ${id}${sent === undefined ? '' : ` of ${sent}`}` };
  },
  CloseTicket({ id }) {
    if (id === 'locked') fault('Client', 'In use <now>');
    if (id === 'none') fault('Server', 'No such ticket', { 'tns:TicketNotFound': { 'tns:id': id } });
    return { closed: true };
  },
  Notify: () => ({}),
  Attach: ({ data }) => ({ size: Buffer.from(data, 'base64').length, data }),
};

const server = createServer((_, response) => response.end());
server.listen(Number(process.env.PORT), '127.0.0.1', () => {
  const service = listen(server, {
    path: '/desk',
    services: { Desk: { Desk11: handlers, Desk12: handlers } },
    xml: readFileSync(process.env.WSDL, 'utf8'),
  });
  const { PASSWORD: password } = process.env;
  if (password !== undefined)
    service.authenticate = ({ UsernameToken: token, Timestamp: { Created, Expires } }) => {
      if (Date.parse(Expires) < Date.now() || Date.parse(Created) > Date.now() + 1_000) return false;
      const value = token.Password.$value;
      if (token.Nonce === undefined) return value === password;
      const nonce = Buffer.from(token.Nonce.$value ?? token.Nonce, 'base64');
      return createHash('sha1').update(nonce).update(token.Created).update(password).digest('base64') === value;
    };
  const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  service.addSoapHeader((method, { user }) =>
    method === 'LogIn' ? `<tns:Session><tns:sessionId>s-${escaped(user)}</tns:sessionId></tns:Session>` : '',
  );
  service.log = (type, text, request) => {
    if (type !== 'received') return;
    const line = JSON.stringify({ headers: request.headers, body: Buffer.from(text).toString('base64') });
    appendFileSync(process.env.RECEIVED, `${line}\n`);
  };
});
process.once('SIGTERM', () => process.exit());
