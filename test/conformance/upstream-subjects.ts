/** Upstreams that begin with the details of the fixture: the JSON-only server, and this program in each wire format. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { NamedProtocol } from '../../src/formats/index.ts';
import { callers, countedIds, now } from '../support/fixture.ts';
import { openGateway } from '../support/gateway.ts';
import { createJsonServer, type JsonServerOptions } from '../support/json-server.ts';

/** A server that has not been asked yet. */
export interface FreshUpstream {
  readonly listener: RequestListener;
  /** The active details of shopper-1 as `reference: uses`. `url`: where this one answers. */
  stored(url: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface UpstreamSubject {
  readonly title: string;
  readonly format: NamedProtocol;
  open(): Promise<FreshUpstream>;
}

const holderName = 'Anna van Dijk';
const merchantAccount = 'DemoMerchant';
const shopper = { merchantAccount, shopperReference: 'shopper-1' };
const accounts = [merchantAccount, 'DemoMerchantNL'];

const jsonServerOptions: JsonServerOptions = {
  now: () => now,
  credentials: {
    [callers.demo.authorization]: { accounts },
    [callers.key['x-api-key']]: { accounts },
    [callers.other['x-api-key']]: { accounts: ['OtherMerchant'] },
    [callers.withoutRole.authorization]: { accounts: [] },
  },
  details: [
    {
      ...shopper,
      card: { number: '4111111111111111', expiryMonth: '03', expiryYear: '2030', holderName },
      recurring: { contract: 'ONECLICK,RECURRING' },
      shopperEmail: 'shopper@example.com',
      additionalData: { 'card.bin': '411111' },
      name: 'My "first" card & more',
      creationDate: '2020-03-01T10:53:11Z',
      firstPspReference: '8815252013129012',
      recurringDetailReference: '8313147988756818',
    },
    {
      ...shopper,
      card: { number: '5555444433331111', expiryMonth: '10', expiryYear: '2031', holderName },
      recurring: { contract: 'RECURRING' },
      creationDate: '2020-07-01T10:00:00.000Z',
      firstPspReference: '8815252013129013',
      recurringDetailReference: '8415995487234100',
    },
    {
      ...shopper,
      bank: { iban: 'NL13TEST0123456789', countryCode: 'NL', ownerName: 'Ánna van Dijk' },
      recurring: { contract: 'PAYOUT' },
      creationDate: '2021-01-01T01:00:00+01:00',
      firstPspReference: '8815252013129014',
      recurringDetailReference: '8814232895168272',
    },
  ],
  issuers: {
    4111111111111111: { result: 'CardExpiryChanged', expiryMonth: '8', expiryYear: '2034' },
    5555444433331111: { result: 'CloseAccount' },
  },
};

async function openJsonServer(): Promise<FreshUpstream> {
  const ids = countedIds();
  const reference = (kind: string) => (kind === 'request' ? ids.requestReference() : ids.reference());
  const server = createJsonServer({ ...jsonServerOptions, reference });
  return {
    listener: (request, response) => server.emit('request', request, response),
    stored: listStored,
    close: async () => {},
  };
}

async function listStored(url: string): Promise<readonly string[]> {
  const response = await fetch(`${url}/pal/servlet/Recurring/v25/listRecurringDetails`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...callers.demo },
    body: JSON.stringify(shopper),
  });
  const { details = [] } = (await response.json()) as { readonly details?: readonly ListedDetail[] };
  return details.map(
    ({ RecurringDetail: { recurringDetailReference, contractTypes } }) =>
      `${recurringDetailReference}: ${contractTypes.join(',')}`,
  );
}

interface ListedDetail {
  readonly RecurringDetail: { readonly recurringDetailReference: string; readonly contractTypes: readonly string[] };
}

async function openTriglyph(): Promise<FreshUpstream> {
  const gateway = await openGateway();
  return {
    async listener(request, response) {
      const headers = request.headers as Readonly<Record<string, string>>;
      const body = await buffer(request);
      const { message } = await gateway.ask({ method: request.method ?? '', path: request.url ?? '', headers, body });
      response.writeHead(message.status, { ...message.headers, 'content-type': message.contentType }).end(message.body);
    },
    stored: () => gateway.active(),
    close: () => gateway.close(),
  };
}

export const upstreamSubjects: readonly UpstreamSubject[] = [
  { title: 'the JSON-only server', format: 'json', open: openJsonServer },
  { title: 'this program in SOAP 1.1', format: 'soap11', open: openTriglyph },
  { title: 'this program in SOAP 1.2', format: 'soap12', open: openTriglyph },
  { title: 'this program in FORM', format: 'form', open: openTriglyph },
];

export interface ChangingUpstream {
  readonly url: string;
  /** Lets this one answer from now on. */
  use(upstream: FreshUpstream): void;
  close(): Promise<void>;
}

/** One address, behind which each case has a fresh upstream. */
export async function openChangingUpstream(): Promise<ChangingUpstream> {
  let current: FreshUpstream | undefined;
  const server = createServer((request, response) => current?.listener(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    use(upstream) {
      current = upstream;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
