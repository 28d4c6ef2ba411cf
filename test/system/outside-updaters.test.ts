/** Tests the account-updater clients with the real server and commands, including logs, metrics and the data folder. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { triglyph, type Variables } from '../support/commands.ts';
import { ask, basic, type Production, prepareProduction, type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { say, startUpdater, type TestUpdater } from '../support/updater.ts';

const renewed = '4000009900000020';
const replaced = '4000009900000038';
const unchanged = '4000009900000012';
const numbers = [renewed, replaced, unchanged];

const folder = tempFolder();
let production: Production;
let outside: TestUpdater;
beforeAll(async () => {
  production = await prepareProduction(folder.path);
  outside = await startUpdater();
});
afterAll(async () => {
  await outside.close();
  folder.discard();
});

const call = async ({ callers }: Server, operation: string, input: object) => {
  const authorization = basic(production.credential.username, production.credential.secret);
  const { status, answer } = await ask(callers, operation, { merchantAccount: 'AcmeWeb', ...input }, authorization);
  expect(status).toBe(200);
  return answer;
};

const checked = async (server: Server, shopperReference: string, number: string) => {
  const card = { number, expiryMonth: '3', expiryYear: '2027', holderName: 'Anna van Dijk' };
  const stored = await call(server, 'storeToken', { card, recurring: { contract: 'RECURRING' }, shopperReference });
  const selectedRecurringDetailReference = stored.recurringDetailReference;
  return call(server, 'scheduleAccountUpdater', {
    reference: 'check',
    shopperReference,
    selectedRecurringDetailReference,
  });
};

const outcomesOf = async (shopper: string, variables: Variables): Promise<readonly string[]> => {
  const { stdout } = await triglyph(['shopper', 'show', 'AcmeWeb', shopper, '--json'], folder.path, variables);
  const { details } = JSON.parse(stdout);
  return details.flatMap(({ changes = [] }: { changes?: { outcome: string }[] }) =>
    changes.map((each) => each.outcome),
  );
};

const metric = async ({ admin }: Server, kind: string): Promise<number> => {
  const page = await (await fetch(`${admin}/metrics`)).text();
  return Number(new RegExp(`^triglyph_updater_events_total\\{kind="${kind}"\\} (\\d+)`, 'm').exec(page)?.[1] ?? 0);
};

const expectNoCardNumber = (text: string): void => {
  for (const number of numbers) expect(text).not.toContain(number);
};

test('http: requests carry the secret of a file; a late outcome is applied by a background job', async () => {
  const secretFile = join(folder.path, 'secret');
  writeFileSync(secretFile, 'hush\n', { mode: 0o600 });
  const variables = {
    ...production.variables,
    UPDATER: 'http',
    UPDATER_URL: outside.url,
    UPDATER_SECRET_FILE: secretFile,
    // The updater of the test may be slow on a busy machine.
    UPDATER_MS_MAX: '10000',
  };
  const { stdout } = await triglyph(['check', '--settings'], folder.path, variables);
  expect(stdout).toContain('UPDATER_URL');
  expect(stdout).not.toContain('hush');

  const server = await startServer('serve', folder.path, variables);
  try {
    expect((await checked(server, 'http-1', renewed)).result).toBe('CardExpiryChanged');
    expect(outside.asked.map(({ authorization }) => authorization)).toEqual(['Bearer hush']);
    const { answer } = outside;
    outside.answer = (_, response) => say(response, { result: 'PANChanged', newNumber: replaced });
    expect((await checked(server, 'http-2', replaced)).result).toBe('Success');
    outside.answer = answer;
    await until('the outcomes', async () => (await outcomesOf('http-2', variables)).length > 0);
    expect(await outcomesOf('http-2', variables)).toEqual(['PANChanged']);
    expect(new Set(outside.asked.slice(1).map(({ id }) => id)).size).toBe(1);
    expect({ answered: await metric(server, 'answered'), malformed: await metric(server, 'malformed') }).toEqual({
      answered: 2,
      malformed: 1,
    });
  } finally {
    await server.stop();
  }
  expect(server.output()).toContain('"updater":"malformed"');
  expectNoCardNumber(server.output());
});

test('batch: by commands next to a running server, and by the server', async () => {
  const batch = join(folder.path, 'batch');
  const variables = { ...production.variables, UPDATER: 'batch', UPDATER_FOLDER: batch };
  const run = (...parameters: string[]) => triglyph(parameters, folder.path, variables);
  const server = await startServer('serve', folder.path, variables);
  try {
    expect(await run('updates', 'gather')).toEqual({ code: 0, stdout: 'no check waits for a file\n', stderr: '' });
    const first = await checked(server, 'batch-1', replaced);
    const second = await checked(server, 'batch-2', renewed);
    expect(first.result).toBe('Success');
    const { code, stdout, stderr } = await run('updates', 'gather');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const file = stdout.trim();
    expect(readdirSync(join(batch, 'requests')).map((name) => join(batch, 'requests', name))).toEqual([file]);
    const rows = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((row) => JSON.parse(row));
    expect(rows).toHaveLength(2);
    expect(rows).toContainEqual({
      check: first.pspReference,
      merchantAccount: 'AcmeWeb',
      number: replaced,
      expiryMonth: '3',
      expiryYear: '2027',
    });

    const columns = 'merchantAccount,check,result,newNumber,newExpiryMonth,newExpiryYear';
    const row = `AcmeWeb,${first.pspReference},PANChanged,${unchanged},3,2031`;
    writeFileSync(join(folder.path, 'answers.csv'), `${columns}\n${row}\n${row}\n`);
    const answered = await run('updates', 'answer', 'answers.csv');
    expect({ code: answered.code, stderr: answered.stderr }).toEqual({ code: 1, stderr: '' });
    expect(answered.stdout).toMatch(/^answers\.csv: 1 rows imported, 1 refused; answers\.csv\.refused\.jsonl says why/);
    expect(await outcomesOf('batch-1', variables)).toEqual(['PANChanged']);

    const news = { newExpiryMonth: '3', newExpiryYear: '2031' };
    const answer = { merchantAccount: 'AcmeWeb', check: second.pspReference, result: 'CardExpiryChanged', ...news };
    writeFileSync(join(batch, 'answers', 'rest.jsonl'), `${JSON.stringify(answer)}\n`);
    await until('the outcomes', async () => (await outcomesOf('batch-2', variables)).length > 0);
    await until('the answers to be read', async () => readdirSync(join(batch, 'answers')).length === 0);
    expect(await metric(server, 'answered')).toBe(1);
  } finally {
    await server.stop();
  }
  expect(server.output()).toContain('"updater":"read"');
  expectNoCardNumber(server.output());
});

test('request files require UPDATER=batch', async () => {
  expect(await triglyph(['updates', 'gather'], folder.path, production.variables)).toEqual({
    code: 1,
    stdout: '',
    stderr: 'triglyph: UPDATER is local: only UPDATER=batch has request files\n',
  });
});

test('the data folder contains no card number in clear text', () => {
  const data = production.variables.DATA_DIR!;
  for (const name of readdirSync(data)) {
    const bytes = readFileSync(join(data, name));
    for (const number of numbers) expect(bytes.includes(number)).toBe(false);
  }
});
