/** Every case of the recurring service through the gateway to another server: the caller gets the same bytes as from this program. */

import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type NamedProtocol, namedProtocols } from '../../src/core/formats/wire-formats.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import { builtIn } from '../../src/program/api/index.ts';
import { type StartedGateway, startGateway } from '../../src/program/app/create-gateway.ts';
import { formats } from '../formats/index.ts';
import { createSqliteTemplate, openSqliteCopy } from '../support/databases.ts';
import { callers, countedIds, now, ringText, saveSignedFixture } from '../support/fixture.ts';
import { openGateway } from '../support/gateway.ts';
import { createJsonServer, type JsonServerOptions } from '../support/json-server.ts';
import { listenLocally } from '../support/listen-locally.ts';
import { account, type Case, mc, visa } from './case.ts';
import { cases } from './read-cases.ts';

/** A server that has not been asked yet. */
interface FreshUpstream {
  readonly listener: RequestListener;
  /** The active details of shopper-1 as `reference: uses`. `url`: where this one answers. */
  stored(url: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

interface UpstreamSubject {
  readonly title: string;
  readonly format: NamedProtocol;
  open(): Promise<FreshUpstream>;
  /** The operations that it has; absent where it has all. */
  readonly operations?: ReadonlySet<string>;
}

/** What the example of another's server has. It need not have an operation that comes later. */
const ofJsonServer: UpstreamSubject['operations'] = new Set([
  'disable',
  'listRecurringDetails',
  'notifyShopper',
  'scheduleAccountUpdater',
  'storeToken',
  'tokenLookup',
]);

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

const upstreamSubjects: readonly UpstreamSubject[] = [
  { title: 'the JSON-only server', format: 'json', open: openJsonServer, operations: ofJsonServer },
  { title: 'this program in SOAP 1.1', format: 'soap11', open: openTriglyph },
  { title: 'this program in SOAP 1.2', format: 'soap12', open: openTriglyph },
  { title: 'this program in FORM', format: 'form', open: openTriglyph },
];

interface ChangingUpstream {
  readonly url: string;
  /** Lets this one answer from now on. */
  use(upstream: FreshUpstream): void;
  close(): Promise<void>;
}

/** One address, behind which each case has a fresh upstream. */
async function openChangingUpstream(): Promise<ChangingUpstream> {
  let current: FreshUpstream | undefined;
  const server = createServer((request, response) => current?.listener(request, response));
  return {
    url: `http://127.0.0.1:${await listenLocally(server)}`,
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

/** The server without our code answers callers of every format; the format of a caller of the others alternates. */
const callersOf = ({ format }: UpstreamSubject, at: number): readonly NamedProtocol[] =>
  format === 'json' ? namedProtocols : [(['json', 'soap11', 'form'] as const)[at % 3]!];

describe.each(upstreamSubjects)('$title', (subject) => {
  let upstream: ChangingUpstream;
  let started: StartedGateway;
  beforeAll(async () => {
    upstream = await openChangingUpstream();
    const { engine } = openSqliteCopy(await createSqliteTemplate(saveSignedFixture));
    const { url } = upstream;
    started = await startGateway(
      {
        ...builtIn({ demoData: false }),
        keys: ringText,
        upstreams: { other: { url, format: subject.format, credentials: 'forward' } },
        answeredBy: { Recurring: 'other' },
      },
      { backend: { open: async () => engine } },
    );
  });
  afterAll(async () => {
    await started.gateway.close();
    await upstream.close();
  });

  const served = cases.filter(({ operation }) => subject.operations?.has(operation) ?? true);
  test.each(served.map((each, at) => [`${each.operation}: ${each.title}`, each, at] as const))(
    '%s',
    async (_, each, at) => {
      for (const name of callersOf(subject, at)) {
        const fresh = await subject.open();
        upstream.use(fresh);
        try {
          const { sends, answers, status = 200 } = each.wire[name];
          const response = await started.gateway.fetch(requestOf(each, name, sends));
          const compared = (text: string) => comparable(isLine(subject) ? withoutFields(text) : text);
          expect(compared(await response.text())).toBe(compared(answers));
          expect(response.status).toBe(status);
          const { leaves = [visa, mc, account] } = each;
          expect(await fresh.stored(upstream.url)).toEqual(leaves);
        } finally {
          await fresh.close();
        }
      }
    },
  );
});

function requestOf({ operation, as = 'demo' }: Case, name: NamedProtocol, body: string): Request {
  const { contentType, path } = formats[name];
  const headers = { 'content-type': contentType, soapaction: '""', ...callers[as] };
  const address = path(recurringV25, recurringV25.operations.get(operation)!);
  return new Request(`http://gateway${address}`, { method: 'POST', headers, body });
}

/** References of refusals by the gateway are random, and each server has aliases of its own. */
function comparable(text: string): string {
  return text
    .replace(/("pspReference":"|\bpspReference=)[A-Z0-9]{16}(?=["&]|$)/g, '$1REFERENCE')
    .replace(/\b[A-Z]\d{15}\b/g, 'ALIAS');
}

/** A refusal in SOAP and by the adapter is a line of text, which names no field where one is wrong. */
function isLine({ format }: UpstreamSubject): boolean {
  return !['json', 'form'].includes(format);
}

function withoutFields(text: string): string {
  return text.replace(/"invalidFields":\[.*?\}\],/, '').replace(/&invalidFields\.\d+\.\w+=[^&]*/g, '');
}
