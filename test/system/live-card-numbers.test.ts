/** Tests that a live gateway refuses card numbers in free text, in requests and in imports, unless a setting accepts them. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { triglyph, type Variables } from '../support/commands.ts';
import { ask, basic, type Production, prepareProduction, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
let production: Production;
beforeAll(async () => {
  production = await prepareProduction(folder.path);
});
afterAll(() => folder.discard());

const live = { ENVIRONMENT: 'live', TRUSTED_PROXIES: '127.0.0.1', PUBLIC_URL: 'https://pay.example.com' };
const accepting = { ...live, REFUSE_CARD_NUMBERS_IN_TEXT: 'off' };
const card = { number: '5555444433331111', expiryMonth: '3', expiryYear: '2031', holderName: 'Anna van Dijk' };
const tokenFor = (shopperReference: string) => ({
  card,
  merchantAccount: 'AcmeWeb',
  recurring: { contract: 'RECURRING' },
  shopperReference,
});
const isStored = (text: string) =>
  readdirSync(production.variables.DATA_DIR!).some((name) =>
    readFileSync(join(production.variables.DATA_DIR!, name)).includes(text),
  );

/** The status of a request with a card number as the reference of a shopper. */
async function statusWith(more: Variables, reference: string): Promise<number> {
  const server = await startServer('serve', folder.path, { ...production.variables, ...more });
  const { username, secret } = production.credential;
  const { status } = await ask(server.callers, 'storeToken', tokenFor(reference), basic(username, secret));
  expect(await server.stop()).toBe(0);
  return status;
}

test.each<[string, Variables, string, number]>([
  ['live refuses it', live, '4111111111111111', 422],
  ['control: test accepts it', {}, '4444333322221111', 200],
  ['control: live accepts it where the setting says so', accepting, '4988438843884305', 200],
])('a request: %s', async (_, more, reference, status) => {
  expect(await statusWith(more, reference)).toBe(status);
  expect(isStored(reference)).toBe(status === 200);
});

test.each<[string, Variables, string, number]>([
  ['live refuses the row', live, '4166676667666746', 1],
  ['control: test accepts it', {}, '4646464646464644', 0],
  ['control: live accepts it where the setting says so', accepting, '4000620000000007', 0],
])('an import: %s', async (name, more, reference, refused) => {
  const file = join(folder.path, `${name.replaceAll(/\W/g, '')}.jsonl`);
  const { recurring: _recurring, ...row } = tokenFor(reference);
  writeFileSync(file, `${JSON.stringify({ ...row, contracts: 'RECURRING' })}\n`);
  const { code, stdout } = await triglyph(['import', file], folder.path, { ...production.variables, ...more });
  expect({ code, stdout }).toEqual({ code: refused, stdout: expect.stringContaining(`${refused} refused`) });
  expect(isStored(reference)).toBe(refused === 0);
  if (refused > 0) expect(readFileSync(`${file}.refused.jsonl`, 'utf8')).not.toContain(reference);
});
