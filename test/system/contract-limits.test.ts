/** The limits of a contract raise those of the gateway: long texts, bytes and lists through it, to a server of the `soap` package and back. */
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createClientAsync, listen } from 'soap';
import { service as declare } from '../../src/program/api/contract.ts';
import { createGateway, type RunningGateway } from '../../src/program/api/index.ts';
import { importWsdl } from '../../src/readers/wsdl/import-wsdl.ts';

const path = join(import.meta.dirname, '../wsdl/notes.wsdl');

interface Stored {
  readonly Note?: string;
  readonly Page?: string;
  readonly Scan?: string;
  readonly Line?: readonly string[];
}

let server: Server;
let wide: RunningGateway;
let narrow: RunningGateway;
/** What the server answers instead of what it was sent. */
let instead: Stored | undefined;
let calls = 0;

async function openGateway(
  settings: Readonly<Record<string, string>>,
  limits: { readonly responseBytesMax?: number } = {},
): Promise<RunningGateway> {
  const { services } = await importWsdl(path, { allowNetwork: false });
  const { service } = services[0]!;
  const gateway = await createGateway({
    services: [declare({ ...service, operations: [...service.operations.values()] }).answeredBy('notes')],
    upstreams: {
      notes: {
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/notes`,
        format: 'soap11',
        credentials: 'forward',
        singleAddress: true,
        ...limits,
      },
    },
    settings: { LOG_LEVEL: 'silent', ...settings },
  });
  await gateway.listen();
  return gateway;
}

function Store(input: Stored): Stored {
  calls += 1;
  return instead ?? input;
}

beforeAll(async () => {
  server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await new Promise<void>((resolve, reject) => {
    listen(server, {
      path: '/notes',
      services: { Notes: { Notes: { Store } } },
      xml: readFileSync(path, 'utf8'),
      callback: (error: unknown) => (error ? reject(error) : resolve()),
    });
  });
  wide = await openGateway({});
  narrow = await openGateway({ BODY_BYTES_MAX: '65536' }, { responseBytesMax: 65_536 });
});
afterAll(async () => {
  await wide.close();
  await narrow.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
beforeEach(() => {
  instead = undefined;
  calls = 0;
});

const types = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const;

async function send(gateway: RunningGateway, format: keyof typeof types, body: Stored) {
  const { origin } = await gateway.listen();
  const response = await fetch(`${origin}/notes/v1/Store`, {
    method: 'POST',
    headers: { 'content-type': types[format], 'idempotency-key': `${format}-${Math.random()}` },
    body: format === 'json' ? JSON.stringify(body) : new URLSearchParams(body as Record<string, string>).toString(),
  });
  const answer = await response.text();
  // Of an error in FORM, the words.
  const text = response.ok || format === 'json' ? answer : decodeURIComponent(answer.replaceAll('+', ' '));
  return { status: response.status, stored: (response.ok ? read(text, format) : {}) as Stored, text };
}
const read = (text: string, format: keyof typeof types): unknown =>
  format === 'json' ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text));

/** A failed comparison of the values themselves would print megabytes. */
const digests = ({ Note, Page, Scan }: Stored): readonly string[] =>
  [Note, Page, Scan].map((each = '') => createHash('sha256').update(each).digest('hex'));

const note = 'é'.repeat(200_000);
const page = 'x<>&'.repeat(100_000);
const scan = Buffer.alloc(5_000_000, 7).toString('base64');

const lines = (count: number, format: keyof typeof types): Stored => {
  const items = Array.from({ length: count }, (_, at) => `line ${at}`);
  return format === 'json' ? { Line: items } : Object.fromEntries(items.map((each, at) => [`Line.${at}`, each]));
};
const linesIn = (stored: Stored, format: keyof typeof types): number | undefined =>
  format === 'json' ? stored.Line?.length : Object.keys(stored).filter((name) => name.startsWith('Line.')).length;

describe.each(['json', 'form'] as const)('in %s', (format) => {
  test.each([
    ['a text as long as its type says', { Note: note }],
    ['a text of a type without a length', { Page: page }],
    ['bytes of a type without a length', { Scan: scan }],
  ])('%s goes to the server and comes back', async (_, sent) => {
    const { status, stored } = await send(wide, format, sent);
    expect(status).toBe(200);
    expect(digests(stored)).toEqual(digests(sent));
  });

  test('a list of 9,000 items goes to the server and comes back', async () => {
    const { status, stored } = await send(wide, format, lines(9_000, format));
    expect([status, linesIn(stored, format)]).toEqual([200, 9_000]);
  });

  test('the control: a list of more than the contract has is refused before anything is sent', async () => {
    const { status, text } = await send(wide, format, lines(10_001, format));
    expect([status, text]).toEqual([422, expect.stringContaining('Line')]);
    expect(calls).toBe(0);
  });

  test('a text that is longer than its type says is refused before anything is sent', async () => {
    const { status, text } = await send(wide, format, { Note: `${note}.` });
    expect([status >= 400, text]).toEqual([true, expect.stringContaining('may not exceed 200000 characters')]);
    expect(calls).toBe(0);
  });

  test('the control: with a limit of the operator, the request is refused, and the error names the setting', async () => {
    const { status, text } = await send(narrow, format, { Page: page });
    expect([status, text]).toEqual([413, expect.stringContaining('Request larger than the maximum of 65536 bytes')]);
    expect(calls).toBe(0);
  });
});

test('a SOAP client sends and gets them', async () => {
  const { origin } = await wide.listen();
  const client = await createClientAsync(`${origin}/notes/v1?wsdl`, {}, `${origin}/notes/v1`);
  const [stored] = (await client.StoreAsync({ Note: note, Page: page, Scan: scan })) as [Stored];
  expect(digests(stored)).toEqual(digests({ Note: note, Page: page, Scan: scan }));
  const [many] = (await client.StoreAsync({ Line: Array.from({ length: 9_000 }, String) })) as [Stored];
  expect(many.Line).toHaveLength(9_000);
});

test('a list of more items than a request may have is an answer', async () => {
  instead = { Line: Array.from({ length: 10_001 }, (_, at) => `line ${at}`) };
  const { status, stored } = await send(wide, 'json', {});
  expect([status, stored.Line?.length]).toEqual([200, 10_001]);
});

describe('an answer that is too large says which limit it is beyond, and that the request was executed', () => {
  test.each([
    ['bytes', 'responseBytesMax of the upstream', () => narrow, { Page: page }],
    ['a text', 'Note is too long', () => wide, { Note: `${note}.` }],
    ['elements', 'too many elements', () => wide, { Line: Array.from({ length: 250_000 }, () => 'l') }],
  ])('%s', async (_, limit, gateway, large) => {
    instead = large;
    const { status, text } = await send(gateway(), 'json', { Page: 'p' });
    expect([status, text]).toEqual([
      502,
      expect.stringContaining(`The request was executed, and its answer is larger than the gateway accepts`),
    ]);
    expect(text).toContain(`(${limit})`);
    expect(calls).toBe(1);
  });
});
