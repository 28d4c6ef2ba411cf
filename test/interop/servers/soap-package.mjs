/** A SOAP server as Node has it: `listen` of the `soap` package on a WSDL. `WSDL=file PORT=8081 node soap-package.mjs` */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { listen } from 'soap';

/** The package prints names as they are given, so a field in another namespace includes its prefix. */
const prefixed = (prefix, fields) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [`${prefix}:${name}`, value]));

const creationDate = '2020-03-01T11:53:11.000+01:00';
const detail = {
  additionalData: { entry: [{ key: 'a.b', value: 'ä & ö' }] },
  card: prefixed('payment', { expiryMonth: '08', expiryYear: '2031', holderName: 'Zoë <&> Ω', number: '0011' }),
  contractTypes: { string: ['ONECLICK'] },
  creationDate,
  firstPspReference: '8815252013129012',
  recurringDetailReference: '8313147988756818',
  variant: 'visa',
};

const handlers = {
  listRecurringDetails({ request: { shopperReference } }) {
    if (shopperReference === 'unknown') return { result: {} };
    return { result: { creationDate, details: { RecurringDetail: [detail] }, shopperReference } };
  },

  storeToken({ request: { card } }) {
    const result = `Success ${card.number} ${card.expiryMonth} ${card.holderName}`;
    return { result: { pspReference: '8815252013129012', recurringDetailReference: '0013147988756818', result } };
  },

  disable() {
    throw { Fault: { faultcode: 'soap:Server', faultstring: 'validation 800 Contract not found', statusCode: 500 } };
  },
};

const server = createServer((_, response) => response.end());
server.listen(Number(process.env.PORT), '127.0.0.1', () => {
  listen(server, {
    path: new URL(process.env.SERVICE_PATH, 'http://localhost').pathname,
    services: { Recurring: { RecurringHttpPort: handlers, RecurringHttpPort12: handlers } },
    xml: readFileSync(process.env.WSDL, 'utf8'),
  });
});
process.once('SIGTERM', () => process.exit());
