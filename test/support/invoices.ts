/** Services with every kind of value, and with XML attributes: of the request, of records, and of items of a list. One is wrapped. */
import { operation } from '../../src/core/contract/operation.ts';
import {
  binary,
  boolean,
  date,
  dateTime,
  decimal,
  integer,
  joined,
  list,
  map,
  object,
  oneOf,
  optional,
  required,
  string,
} from '../../src/core/contract/schema.ts';
import { service } from '../../src/core/contract/service.ts';
import { type Implementation, implement } from '../../src/stores/handlers.ts';

const attribute = { xml: 'attribute' } as const;
const currency = oneOf('Currency', 'EUR', 'USD');
const amount = object(
  'Amount',
  {
    currency: required(currency, 'The currency.', attribute),
    value: required(decimal({ digits: 12, fraction: 2, min: '-1000000', max: '999999999.99', example: '19.99' }), 'x', {
      json: 'text',
    }),
  },
  { namespace: 'common' },
);
const line = object('Line', {
  sku: required(string({ max: 40, example: 'B-1' }), 'The article.', attribute),
  discount: optional(decimal({ digits: 4, fraction: 4, example: '0.15' }), 'The discount.', attribute),
  since: optional(dateTime(Date.UTC(2026, 0, 1)), 'The moment.', attribute),
  due: optional(date('2026-03-01'), 'The day.', attribute),
  seal: optional(binary({ max: 16, example: 'AAECAw==' }), 'The seal.', attribute),
  gift: optional(boolean(true), 'Whether it is a gift.', attribute),
  count: optional(integer(1, 999, 1), 'The number.', attribute),
  price: optional(amount, 'The price.'),
  text: optional(string({ max: 60, example: 'Bicycle' }), 'The text.', { json: 'line_text' }),
});
/** With attributes alone. */
const period = object('Period', {
  from: optional(date('2026-01-01'), 'The first day.', attribute),
  to: optional(date('2026-01-31'), 'The last day.', attribute),
});
const fields = {
  version: optional(integer(1, 9, 1), 'The version.', attribute),
  number: required(string({ pattern: '[A-Z0-9-]{1,20}', example: 'I-1001' }), 'The number.', attribute),
  issued: required(date('2026-01-31'), 'The day.'),
  total: required(amount, 'The total.'),
  rate: optional(decimal({ digits: 24, fraction: 20, example: '1.08' }), 'The rate.'),
  whole: optional(decimal({ digits: 20, fraction: 0, min: '0', example: '7' }), 'A number without fraction.'),
  scan: optional(binary({ max: 400, example: 'aGVsbG8=' }), 'The document.'),
  period: optional(period, 'The period.'),
  lines: optional(list(line, 'Line', { wrapped: true, max: 5 }), 'The lines.'),
  days: optional(list(date('2026-01-31'), 'date', { max: 3 }), 'Days.'),
  currencies: optional(joined(currency), 'Currencies.'),
  notes: optional(map(3, { a: 'b' }), 'Notes.'),
};

export const invoicesV1 = service({
  name: 'Invoices',
  version: 1,
  answers: { from: 1, to: 1 },
  doc: 'Invoices of a shop.',
  address: '/invoices',
  legacy: { adapter: '/invoices/form' },
  namespaces: { own: 'invoices', uris: { invoices: 'urn:example:invoices', common: 'urn:example:common' } },
  roles: ['invoices'],
  operations: [
    operation({
      name: 'storeInvoice',
      doc: 'Stores an invoice.',
      effect: 'writes',
      role: 'invoices',
      problems: [],
      input: object('Invoice', fields),
      output: object('StoredInvoice', fields),
    }),
  ],
});

const invoice = object('Invoice', fields);
/** Its input has the name of another type, and its output is also a part of it. */
const exchange = {
  invoice: required(invoice, 'The invoice.'),
  total: optional(amount, 'The total.'),
  due: optional(date('2026-03-01'), 'The day.'),
  scan: optional(binary({ max: 400, example: 'aGVsbG8=' }), 'The document.'),
  lines: optional(list(line, 'Line', { max: 3 }), 'The lines.'),
};
const sent = object('Sent', {
  at: optional(dateTime(0), 'The moment.'),
  currency: optional(currency, 'The currency.'),
});

export const wrappedInvoicesV1 = service({
  name: 'WrappedInvoices',
  version: 1,
  answers: { from: 1, to: 1 },
  doc: 'Invoices of a shop, as WSDL tools generate them.',
  address: '/wrapped',
  legacy: { adapter: '/wrapped/form' },
  namespaces: { own: 'wrapped', uris: { wrapped: 'urn:example:wrapped', common: 'urn:example:common' } },
  soapStyle: 'wrapped',
  roles: ['invoices'],
  operations: [
    operation({
      name: 'sendInvoice',
      doc: 'Sends an invoice.',
      effect: 'writes',
      role: 'invoices',
      problems: [],
      input: object('Invoice', { ...exchange, sent: optional(sent, 'The sending.') }),
      output: object('SentInvoice', { ...exchange, sent: optional(sent, 'The sending.') }),
    }),
    operation({
      name: 'lastSent',
      doc: 'Returns the last sending.',
      effect: 'reads',
      role: 'invoices',
      problems: [],
      input: object('Nothing', { since: optional(date('2026-01-01'), 'The first day.') }),
      output: sent,
    }),
  ],
});

/** Returns what it is given. */
export const implementWrappedInvoices = (): Implementation =>
  implement(wrappedInvoicesV1, {
    sendInvoice: async ({ input }) => input,
    lastSent: async () => ({ at: 0 }),
  });

/** Returns what it is given, and counts the calls. */
export const implementInvoices = (calls: string[]): Implementation =>
  implement(invoicesV1, {
    async storeInvoice({ input }) {
      calls.push(input.number);
      return input;
    },
  });
