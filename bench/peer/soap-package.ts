/** A peer: the server of the `soap` package answers from memory with our WSDL. For measurements on loopback only. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { listen } from 'soap';
import { answersOf } from './answers.ts';

type Fields = Readonly<Record<string, unknown>>;

type Details = readonly { readonly RecurringDetail: Fields }[];

/**
 * The package prints names as they are given, so a field in another namespace includes its prefix.
 * Without prefixes (PREFIXES=none) it is faster, and its answers are not valid against the schema.
 */
const prefixed = (prefix: string, fields: unknown): Fields =>
  process.env.PREFIXES === 'none'
    ? (fields as Fields)
    : Object.fromEntries(Object.entries(fields as Fields).map(([name, value]) => [`${prefix}:${name}`, value]));

const member = (name: string, value: unknown): unknown => {
  switch (name) {
    case 'details':
      return { RecurringDetail: (value as Details).map(({ RecurringDetail }) => members(RecurringDetail)) };
    case 'card':
      return prefixed('payment', value);
    case 'billingAddress':
    case 'shopperName':
      return prefixed('common', value);
    case 'contractTypes':
      return { string: value };
    case 'additionalData':
      return { entry: Object.entries(value as Fields).map(([key, entry]) => ({ key, value: entry })) };
    default:
      return value;
  }
};

/** Members in the order of the WSDL, which is that of the JSON answer; the package does not sort them. */
const members = (fields: object): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, member(name, value)]));

const known = new Map([...answersOf('json')].map(([reference, answer]) => [reference, { result: members(answer) }]));

interface Arguments {
  readonly request: { readonly shopperReference: string };
}

const listRecurringDetails = ({ request }: Arguments): object => known.get(request.shopperReference) ?? { result: {} };

const port = { listRecurringDetails };
const server = createServer((_, response) => response.end());
server.listen(Number(process.env.PORT), '127.0.0.1', () => {
  listen(server, {
    path: '/pal/servlet/Recurring/v25',
    services: { Recurring: { RecurringHttpPort: port, RecurringHttpPort12: port } },
    xml: readFileSync(process.env.WSDL!, 'utf8'),
  });
});
process.once('SIGTERM', () => process.exit());
