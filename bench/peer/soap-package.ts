/** A peer: the `soap` package's own server, from our WSDL, answering out of memory. For measuring only, on loopback. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { listen } from 'soap';

type Fields = Readonly<Record<string, unknown>>;

/** What the peers serve: an answer in JSON for each shopper. */
interface Known {
  readonly details: readonly { readonly RecurringDetail: Fields }[];
}

const detail = ({ RecurringDetail: { additionalData, contractTypes, ...fields } }: Known['details'][number]): Fields => ({
  ...fields,
  ...(contractTypes === undefined ? {} : { contractTypes: { string: contractTypes } }),
  ...(additionalData === undefined
    ? {}
    : { additionalData: { entry: Object.entries(additionalData as Fields).map(([key, value]) => ({ key, value })) } }),
});

/** Members in the order of the WSDL; the package prints them as they stand. */
const result = ({ details, ...fields }: Known): Fields => ({ ...fields, details: { RecurringDetail: details.map(detail) } });

const known = new Map(
  Object.entries(JSON.parse(readFileSync(process.env.SHOPPERS!, 'utf8')) as Record<string, Known>).map(
    ([reference, answer]) => [reference, { result: result(answer) }],
  ),
);

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
