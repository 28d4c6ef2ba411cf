/** Records requests of a server, sends them again to it and to another one that answers differently, and compares the answers. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server as HttpServer } from 'node:http';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { triglyph } from '../support/commands.ts';
import { ask, basic, type Production, prepareProduction, type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
const card = { number: '4111111111111111', expiryMonth: '3', expiryYear: '2030', holderName: 'Anna' };
const shoppers = ['one', 'two', 'three'];

let production: Production;
let server: Server;
let altered: HttpServer;
let alteredUrl: string;
/** What the other server changes in the JSON of an answer. */
let alter = (answer: Record<string, unknown>): unknown => answer;

const call = (operation: string, input: object) =>
  ask(server.callers, operation, input, basic(production.credential.username, production.credential.secret));
const account = { merchantAccount: 'AcmeWeb' };

const record = async (variables: object, calls: () => Promise<unknown>): Promise<void> => {
  server = await startServer('serve', folder.path, { ...production.variables, ...variables });
  await calls();
  expect(await server.stop()).toBe(0);
};
const recordAll = async (): Promise<void> => {
  for (const shopperReference of shoppers)
    await call('storeToken', { ...account, shopperReference, card, recurring: { contract: 'RECURRING' } });
  for (const shopperReference of shoppers) await call('listRecurringDetails', { ...account, shopperReference });
  const envelope = `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>
    <r:listRecurringDetails xmlns:r="http://recurring.services.adyen.com"><r:request><r:merchantAccount>AcmeWeb</r:merchantAccount>
    <r:shopperReference>one</r:shopperReference></r:request></r:listRecurringDetails></soap:Body></soap:Envelope>`;
  const { username, secret } = production.credential;
  const headers = { authorization: basic(username, secret), 'content-type': 'text/xml' };
  const soap = await fetch(`${server.callers}/pal/servlet/Recurring/v25`, { method: 'POST', headers, body: envelope });
  expect(soap.status).toBe(200);
  expect((await call('listRecurringDetails', { merchantAccount: 'Other', shopperReference: 'x' })).status).toBe(403);
};

const filesIn = (name: string): readonly string[] => readdirSync(join(folder.path, name));
const textOf = (name: string): string =>
  filesIn(name)
    .map((file) => gunzipSync(readFileSync(join(folder.path, name, file))).toString())
    .join('');
const replay = async (recording: string, against: string, ...parameters: string[]) => {
  writeFileSync(join(folder.path, 'secret'), production.credential.secret);
  const { username } = production.credential;
  const credential = ['--username', username, '--secret-file', 'secret'];
  const command = ['replay', recording, '--against', against, ...credential, '--rate', '200', '--json', ...parameters];
  const { code, stdout, stderr } = await triglyph(command, folder.path, production.variables);
  return { code, stderr, result: stdout === '' ? undefined : JSON.parse(stdout) };
};
const rules = (name: string, texts: object): string => {
  writeFileSync(join(folder.path, name), JSON.stringify(texts));
  return name;
};

beforeAll(async () => {
  production = await prepareProduction(folder.path);
  await record({ RECORD: 'masked' }, recordAll);
  await record({ RECORD: 'sealed', RECORD_SENSITIVE: 'sealed' }, recordAll);
  server = await startServer('serve', folder.path, production.variables);
  altered = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { host: _, ...headers } = request.headers as Record<string, string>;
    delete headers['content-length'];
    delete headers.connection;
    const body = Buffer.concat(chunks);
    const answer = await fetch(`${server.callers}${request.url}`, { method: 'POST', headers, body });
    const text = JSON.stringify(alter((await answer.json()) as Record<string, unknown>));
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });
  await new Promise<void>((resolve) => altered.listen(0, '127.0.0.1', resolve));
  const address = altered.address();
  alteredUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
});
afterAll(async () => {
  altered?.close();
  await server?.stop();
  folder.discard();
});

test('recordings hold values of the contract, masked, in compressed files for their owner', () => {
  for (const name of ['masked', 'sealed']) {
    const text = textOf(name);
    expect(filesIn(name).every((file) => /^\d{4}-.*\.jsonl\.gz$/.test(file))).toBe(true);
    expect(text).not.toContain(card.number);
    expect(text).not.toContain(production.credential.secret);
  }
  const records = textOf('masked')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(records).toHaveLength(8);
  expect(records[0]).toMatchObject({
    ...{
      service: 'Recurring',
      operation: 'storeToken',
      effect: 'writes',
      format: 'json',
      outcome: 'ok',
      isMasked: true,
    },
    input: { card: { number: '************1111' } },
  });
  expect(records[6]).toMatchObject({ operation: 'listRecurringDetails', format: 'soap11', version: 25, status: 200 });
  expect(records[7]).toMatchObject({ outcome: expect.any(String), refusal: { code: expect.any(String) } });
});

test.each(['json', 'soap', 'form', 'as-recorded'])(
  'the recorded server itself, asked in %s, answers the same',
  async (format) => {
    const { code, stderr, result } = await replay('masked', server.callers, '--format', format);
    expect(stderr).toBe('');
    expect(result).toMatchObject({ compared: 5, different: 0, skipped: { writes: 3 }, differences: [] });
    expect(code).toBe(0);
  },
);

test('planted differences are found, and accepted ones are counted apart', async () => {
  let count = 0;
  alter = (answer) => {
    const [item] = (answer.details ?? []) as { RecurringDetail: Record<string, unknown> }[];
    count += 1;
    if (item === undefined) return answer;
    delete item.RecurringDetail.aliasType;
    (item.RecurringDetail.card as Record<string, unknown>).holderName = 'Berta';
    return count === 1 ? { ...answer, shopperReference: 'other' } : answer;
  };
  const { code, result } = await replay('masked', alteredUrl, '--format', 'json');
  expect(result.failures).toEqual({});
  const found = result.differences.map(({ operation, path, kind, count: times }: Record<string, unknown>) =>
    [operation, path, kind, times].join(' '),
  );
  expect(found.sort()).toEqual([
    'listRecurringDetails details[].aliasType missing 4',
    'listRecurringDetails details[].card.holderName value 4',
    'listRecurringDetails shopperReference value 1',
  ]);
  expect(result).toMatchObject({ compared: 5, different: 4 });
  expect(code).toBe(1);
  const accepted = [
    { path: 'details[].aliasType', reason: 'not shown' },
    { path: '**.holderName', reason: 'renamed' },
    { path: 'shopperReference', reason: 'as stored' },
  ];
  count = 0;
  const again = await replay('masked', alteredUrl, '--format', 'json', '--rules', rules('accepted.json', { accepted }));
  expect(again).toMatchObject({ code: 0, result: { different: 0, differences: [{}, {}, {}] } });
  await replay('masked', alteredUrl, '--format', 'json', '--learn', 'learned.json');
  const learned = await replay('masked', alteredUrl, '--format', 'json', '--rules', 'learned.json');
  expect(learned).toMatchObject({ code: 0, result: { different: 0 } });
});

test('an answer that is none of the contract is a difference', async () => {
  alter = (answer) => ({ ...answer, details: [{ RecurringDetail: {} }] });
  const { code, result } = await replay('masked', alteredUrl, '--format', 'json', '--only', 'listRecurringDetails');
  const [difference] = result.differences;
  expect({ code, failures: result.failures }).toEqual({ code: 1, failures: {} });
  expect(difference).toMatchObject({
    kind: 'outcome',
    example: { left: 'ok', right: expect.stringContaining('no answer of the contract: details') },
  });
});

test('writes are sent only where asked, whole only where they are sealed, and a repeated replay has no further effect', async () => {
  const masked = await replay('masked', server.callers, '--writes', '--only', 'storeToken');
  expect(masked.result).toMatchObject({ compared: 0, skipped: { masked: 3, 'other operations': 5 } });
  const generated = rules('generated.json', {
    ignore: ['storeToken:**.pspReference'],
    mapId: ['recurringDetailReference'],
  });
  const parameters = ['--writes', '--only', 'storeToken', '--rules', generated];
  for (let times = 0; times < 2; times += 1) {
    const { result, stderr } = await replay('sealed', server.callers, ...parameters);
    expect({ stderr, result }).toMatchObject({
      stderr: '',
      result: { compared: 3, skipped: { 'other operations': 5 } },
    });
  }
  // Sealed members were opened twice, and masked ones never.
  const { stdout } = await triglyph(['audit', 'show', '--json'], folder.path, production.variables);
  expect(stdout.match(/"subject": ?"replay"/g)).toHaveLength(2);
});

test('what cannot be replayed says why', async () => {
  const nowhere = await replay('masked', 'http://127.0.0.1:9', '--only', 'listRecurringDetails');
  expect(nowhere.code).toBe(1);
  expect(Object.keys(nowhere.result.failures)).toContain('refused (ECONNREFUSED)');
  const misspelt = await replay('masked', server.callers, '--rules', rules('misspelt.json', { ignore: ['detials'] }));
  expect(misspelt).toMatchObject({ code: 1, stderr: expect.stringContaining('no answer has detials') });
  writeFileSync(join(folder.path, 'broken.jsonl'), '{"at":1}\n{}\n');
  const broken = await replay('broken.jsonl', server.callers);
  expect(broken).toMatchObject({ code: 1, stderr: expect.stringContaining('line 1 is no recorded request') });
  const wrong = await replay('masked', 'nowhere.json');
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('neither an address nor a file of JSON') });
});
