/** Replays damaged and hostile recordings against servers that are slow, die or lie, and resumes what was interrupted. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { environment, program, triglyph } from '../support/commands.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const folder = tempFolder();
const path = (name: string): string => join(folder.path, name);

let server: Server;
let url: string;
/** What the server was asked: the shopper of each request, and its key. */
let asked: { readonly shopper: string; readonly key: string | undefined }[] = [];
let answer: (response: ServerResponse, shopper: string) => void;

const answerOf = (shopper: string, more: object = {}) =>
  JSON.stringify({ creationDate: '2026-01-01T00:00:00Z', details: [], shopperReference: shopper, ...more });
const tell = (response: ServerResponse, body: string): void => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(body);
};
const listing = (shopper: string, changes: object = {}) => ({
  ...{ at: '2026-11-24T12:00:00.000Z', service: 'Recurring', version: 25, operation: 'listRecurringDetails' },
  ...{ effect: 'reads', format: 'json', caller: 'cr_a', tenant: 'Acme', reference: `8800000000${shopper}` },
  ...{ outcome: 'ok', status: 200, ms: 1, input: { merchantAccount: 'AcmeWeb', shopperReference: shopper } },
  output: { creationDate: Date.parse('2026-01-01T00:00:00Z'), shopperReference: shopper },
  ...changes,
});
const lines = (records: readonly object[]): string => records.map((each) => `${JSON.stringify(each)}\n`).join('');
const shoppers = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `shopper-${at}`);
const replay = async (file: string, ...parameters: string[]) => {
  const command = ['replay', file, '--against', url, '--format', 'json', '--rate', '1000', '--json', ...parameters];
  const { code, stdout, stderr } = await triglyph(command, folder.path, { NODE_OPTIONS: '--max-old-space-size=256' });
  return { code, stderr, result: stdout === '' ? undefined : JSON.parse(stdout) };
};

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { shopperReference: shopper } = JSON.parse(Buffer.concat(chunks).toString());
    asked.push({ shopper, key: request.headers['idempotency-key'] as string | undefined });
    answer(response, shopper);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  asked = [];
  answer = (response, shopper) => tell(response, answerOf(shopper));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  folder.discard();
});

test('a file that is being written lacks its last line, and a damaged one says where', async () => {
  const whole = lines(shoppers(3).map((each) => listing(each)));
  writeFileSync(path('cut.jsonl'), whole.slice(0, -20));
  expect(await replay('cut.jsonl')).toMatchObject({ code: 0, stderr: '', result: { compared: 2, different: 0 } });
  writeFileSync(path('gap.jsonl'), `${whole}{"missing":2}\n`);
  expect(await replay('gap.jsonl')).toMatchObject({ code: 0, result: { compared: 3 } });
  const compressed = gzipSync(whole.repeat(2_000));
  writeFileSync(path('cut.jsonl.gz'), compressed.subarray(0, compressed.length - 9));
  const cut = await replay('cut.jsonl.gz', '--rate', '10000');
  expect(cut).toMatchObject({ code: 1, stderr: expect.stringContaining('cut.jsonl.gz is damaged or cut off') });
  // What was compared until there is not lost.
  expect(cut.result.compared).toBeGreaterThan(0);
  compressed[30] = 255 - compressed[30]!;
  writeFileSync(path('damaged.jsonl.gz'), compressed);
  const damaged = await replay('damaged.jsonl.gz', '--rate', '10000');
  expect(damaged).toMatchObject({ code: 1, stderr: expect.stringMatching(/damaged|no recorded request/) });
});

test('a huge line and a file that was packed to be small are refused within bounded memory', async () => {
  writeFileSync(path('bomb.jsonl.gz'), gzipSync(Buffer.alloc(400_000_000, 32), { level: 9 }));
  const bomb = await replay('bomb.jsonl.gz');
  expect(bomb).toMatchObject({ code: 1, stderr: expect.stringContaining('a line of more than 16777216 characters') });
  expect(asked).toEqual([]);
});

test('a recording that someone made up sends no writes, no broken heads and nothing to a terminal', async () => {
  const hostile = [
    // It calls a write a read.
    listing('a', { operation: 'disable', effect: 'reads' }),
    listing('b', { version: 999 }),
    listing('c', { service: '../../etc/passwd' }),
    listing('d', { operation: '__proto__' }),
    listing('e', { input: { merchantAccount: 7, shopperReference: ['x'], recurring: 'none' } }),
    listing('f'),
  ];
  writeFileSync(path('hostile.jsonl'), lines(hostile));
  const { code, result } = await replay('hostile.jsonl');
  expect(result.skipped).toEqual({ writes: 1, 'unknown to the contract': 3 });
  expect(asked.map(({ shopper }) => shopper)).not.toContain('a');
  expect(result.compared + Object.values<number>(result.failures).reduce((one, other) => one + other, 0)).toBe(2);
  expect(code).toBe(1);
  for (const [name, changes] of Object.entries({
    head: { reference: 'x\r\nX-Evil: 1' },
    escape: { operation: '\u001b[2J' },
    input: { input: 'text' },
    time: { at: 'yesterday' },
    refusal: { refusal: { code: 1 } },
  })) {
    writeFileSync(path(`${name}.jsonl`), lines([listing('x', changes), listing('y')]));
    const refused = await replay(`${name}.jsonl`);
    expect([name, refused.code, refused.stderr]).toEqual([
      ...[name, 1, expect.stringContaining('line 1 is no recorded request')],
    ]);
  }
});

test('a recording with values of other kinds than the contract has ends in differences', async () => {
  const detail = {
    ...{ recurringDetailReference: 'D1', firstPspReference: '8815252013129012', variant: 'visa' },
    ...{ creationDate: '2026-01-01T00:00:00Z', contractTypes: ['RECURRING'] },
    card: { number: '1111', expiryMonth: '3', expiryYear: '2030', holderName: 'Anna' },
  };
  const outputs = [
    'text',
    7,
    [],
    { details: 'text' },
    { details: [null, 7, 'x'] },
    { details: [{ card: 'none', contractTypes: 7 }] },
  ];
  const records = outputs.map((output, at) => listing(`kind-${at}`, { output }));
  writeFileSync(path('kinds.jsonl'), lines(records));
  answer = (response, shopper) => tell(response, answerOf(shopper, { details: [{ RecurringDetail: detail }] }));
  const { code, stderr, result } = await replay('kinds.jsonl');
  expect({ code, stderr, compared: result?.compared }).toEqual({ code: 1, stderr: '', compared: 6 });
  const nested = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const heads = [{ ms: 'long' }, { ms: 1e300 }, { ms: -1 }, { status: 'ok' }, { at: '+200000' }, { output: 'NESTED' }];
  for (const changes of heads) {
    const text = lines([listing('x', changes), listing('y')]);
    writeFileSync(path('head.jsonl'), text.replace('"NESTED"', nested));
    const exported = await triglyph(
      ['recording', 'export', 'head.jsonl', '--as', 'har', '--out', 'head.har'],
      folder.path,
    );
    expect(exported).toMatchObject({ code: 1, stderr: expect.stringContaining('line 1 is no recorded request') });
  }
});

test('a server that lies is found out, and its texts reach a terminal without control characters', async () => {
  writeFileSync(path('lies.jsonl'), lines(shoppers(4).map((each) => listing(each))));
  answer = (response, shopper) =>
    tell(response, answerOf(shopper, { '\u001b[2Jevil\u202e': 1, shopperReference: 'other' }));
  const command = ['replay', 'lies.jsonl', '--against', url, '--rate', '1000'];
  const { code, stdout } = await triglyph(command, folder.path);
  expect(code).toBe(1);
  expect(stdout).toContain('the contract lacks');
  expect(stdout).toContain('listRecurringDetails shopperReference (value): 4 times');
  expect(stdout).not.toMatch(/[^\n\P{C}]/u);
  answer = (response) => tell(response, '<html>');
  expect(await replay('lies.jsonl')).toMatchObject({ code: 1, result: { compared: expect.any(Number) } });
});

test('a server that dies ends the replay, and the same command goes on with what had no answer', async () => {
  const all = shoppers(300);
  writeFileSync(path('dies.jsonl'), lines(all.map((each) => listing(each))));
  answer = (response, shopper) => {
    if (asked.length > 100) response.destroy();
    else tell(response, answerOf(shopper, shopper === 'shopper-3' ? { shopperReference: 'other' } : {}));
  };
  const first = await replay('dies.jsonl', '--state', 'state.json');
  expect(first).toMatchObject({
    ...{ code: 1, result: { different: 1 } },
    stderr: expect.stringContaining(
      'no longer answers, so the replay has ended; the same command goes on with state.json',
    ),
  });
  const answered = first.result.compared;
  expect(answered).toBeGreaterThan(80);
  expect(answered).toBeLessThan(110);
  asked = [];
  answer = (response, shopper) => tell(response, answerOf(shopper));
  const second = await replay('dies.jsonl', '--state', 'state.json');
  // It has one difference, which the first run found.
  expect(second).toMatchObject({ code: 1, stderr: '', result: { compared: 300, different: 1, failures: {} } });
  expect(asked).toHaveLength(300 - answered);
  expect(existsSync(path('state.json'))).toBe(false);
});

test('a replay that was interrupted goes on where it was: no request twice, and none left out', async () => {
  const all = shoppers(400);
  writeFileSync(path('long.jsonl'), lines(all.map((each) => listing(each))));
  const parameters = ['replay', 'long.jsonl', '--against', url, '--format', 'json', '--rate', '50', '--json'];
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', program, ...parameters, '--state', 'long.state'],
    {
      cwd: folder.path,
      env: environment({}),
    },
  );
  await until('twenty requests', () => asked.length > 20);
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([1, null]);
  const before = asked.length;
  expect(before).toBeLessThan(300);
  const other = await replay('cut.jsonl', '--state', 'long.state');
  expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('a replay with other recordings') });
  const rest = await replay('long.jsonl', '--state', 'long.state');
  expect(rest).toMatchObject({ code: 0, result: { compared: 400, different: 0 } });
  expect(asked.map(({ shopper }) => shopper).sort()).toEqual([...all].sort());
  writeFileSync(path('broken.state'), readFileSync(path('long.jsonl')).subarray(0, 50));
  const broken = await replay('long.jsonl', '--state', 'broken.state');
  expect(broken).toMatchObject({ code: 1, stderr: expect.stringContaining('no state of a replay, or it is damaged') });
});

test('a replay that was killed sends no write again, says which are uncertain, and sends them when asked', async () => {
  const all = shoppers(40);
  const output = { response: '[all-details-successfully-disabled]' };
  const records = all.map((each) => listing(each, { operation: 'disable', effect: 'writes', output }));
  writeFileSync(path('killed.jsonl'), lines(records));
  const asks = ['--writes', '--state', 'killed.state'];
  let kill: (() => void) | undefined;
  // The replay is killed before it has the answer of the tenth write, and at the moment when it gets that of the twentieth.
  answer = (response) => {
    if (asked.length === 10) kill?.();
    else tell(response, JSON.stringify(output));
    if (asked.length === 20) kill?.();
  };
  for (const count of [10, 20]) {
    const parameters = ['replay', 'killed.jsonl', '--against', url, '--format', 'json', '--rate', '1000', ...asks];
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, ...parameters], {
      ...{ cwd: folder.path, env: environment({}) },
    });
    kill = () => child.kill('SIGKILL');
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
    expect(asked).toHaveLength(count);
  }
  kill = undefined;
  const rest = await replay('killed.jsonl', ...asks);
  expect(asked.map(({ shopper }) => shopper)).toEqual(all);
  const { compared, uncertain } = rest.result;
  expect(uncertain).toContain('killed.jsonl:10');
  expect(uncertain.length).toBeLessThanOrEqual(2);
  expect(compared).toBe(40 - uncertain.length);
  expect(rest).toMatchObject({ code: 1, stderr: expect.stringContaining('with --send-uncertain sends them again') });
  asked = [];
  expect(await replay('killed.jsonl', ...asks, '--send-uncertain')).toMatchObject({
    ...{ code: 0, stderr: '', result: { compared: 40, different: 0, uncertain: [] } },
  });
  expect(asked.map(({ shopper }) => `killed.jsonl:${all.indexOf(shopper) + 1}`)).toEqual(uncertain);
  expect(existsSync(path('killed.state'))).toBe(false);
  expect(await replay('killed.jsonl', '--send-uncertain')).toMatchObject({ code: 1, result: undefined });
});

test('a write whose connection breaks is uncertain, and one that was not sent is sent by the next run', async () => {
  const output = { response: '[all-details-successfully-disabled]' };
  const records = shoppers(3).map((each) => listing(each, { operation: 'disable', effect: 'writes', output }));
  writeFileSync(path('breaks.jsonl'), lines(records));
  const { port } = server.address() as AddressInfo;
  writeFileSync(path('target.json'), JSON.stringify({ url, format: 'json', credentials: 'none' }));
  const command = ['replay', 'breaks.jsonl', '--against', 'target.json', '--rate', '1000', '--json', '--writes'];
  const run = async (...more: string[]) => {
    const { code, stdout } = await triglyph([...command, '--state', 'breaks.state', ...more], folder.path);
    return { code, result: JSON.parse(stdout) };
  };
  answer = (response, shopper) =>
    shopper === 'shopper-1' ? response.destroy() : tell(response, JSON.stringify(output));
  expect(await run()).toMatchObject({ code: 1, result: { compared: 2, uncertain: ['breaks.jsonl:2'] } });
  asked = [];
  expect(await run()).toMatchObject({ code: 1, result: { compared: 2, uncertain: ['breaks.jsonl:2'] } });
  expect(asked).toEqual([]);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  expect(await run('--send-uncertain')).toMatchObject({ code: 1, result: { compared: 2, uncertain: [] } });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  answer = (response) => tell(response, JSON.stringify(output));
  expect(await run()).toMatchObject({ code: 0, result: { compared: 3, uncertain: [] } });
  expect(asked.map(({ shopper }) => shopper)).toEqual(['shopper-1']);
});

test('a slow server is asked for no more at a time, and not above the rate', async () => {
  writeFileSync(path('slow.jsonl'), lines(shoppers(60).map((each) => listing(each))));
  let waiting = 0;
  let most = 0;
  answer = (response, shopper) => {
    waiting += 1;
    most = Math.max(most, waiting);
    setTimeout(() => {
      waiting -= 1;
      tell(response, answerOf(shopper));
    }, 300);
  };
  expect(await replay('slow.jsonl')).toMatchObject({ code: 0, result: { compared: 60 } });
  expect(most).toBeLessThanOrEqual(16);
  asked = [];
  answer = (response, shopper) => tell(response, answerOf(shopper));
  const startedAt = performance.now();
  expect(await replay('slow.jsonl', '--rate', '40')).toMatchObject({ code: 0, result: { compared: 60 } });
  expect(performance.now() - startedAt).toBeGreaterThan((1_000 * 59) / 40);
});

test('a text that was masked since it looks like a card number is no difference, and another one is', async () => {
  const output = { creationDate: Date.parse('2026-01-01T00:00:00Z'), shopperReference: 'H***********1111' };
  writeFileSync(path('masked.jsonl'), lines([listing('m', { output })]));
  const askFor = async (shopperReference: string) => {
    answer = (response) => tell(response, answerOf(shopperReference));
    return (await replay('masked.jsonl')).result.different;
  };
  expect(await askFor('H411111111111111')).toBe(0);
  expect(await askFor('H411111111111112')).toBe(1);
});

test('requests that write have the keys of the recording, or fresh ones', async () => {
  const write = listing('w', {
    ...{ operation: 'disable', effect: 'writes', output: { response: '[all-details-successfully-disabled]' } },
  });
  writeFileSync(path('writes.jsonl'), lines([write]));
  answer = (response) => tell(response, JSON.stringify({ response: '[all-details-successfully-disabled]' }));
  const keys: (string | undefined)[] = [];
  for (const more of [[], [], ['--fresh-keys'], ['--fresh-keys']]) {
    asked = [];
    expect(await replay('writes.jsonl', '--writes', ...more)).toMatchObject({ code: 0, result: { compared: 1 } });
    keys.push(asked[0]!.key);
  }
  expect(keys[0]).toMatch(/replay-8800000000w/);
  expect(keys[1]).toBe(keys[0]);
  expect(new Set(keys).size).toBe(3);
});
