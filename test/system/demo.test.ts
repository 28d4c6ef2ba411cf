/** Tests the demo: its printed calls work, and its data is durable. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { triglyph } from '../support/commands.ts';
import { ask, basic, type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
afterAll(() => folder.discard());
const other = basic('ws@Company.Other', 'other-password');
const basicOf = (username: string) => ({ Authorization: basic(username, 'demo-password') });

const shopper = (shopperReference: string) => ({ merchantAccount: 'DemoMerchant', shopperReference });

interface Shown {
  readonly RecurringDetail: {
    readonly recurringDetailReference: string;
    readonly variant: string;
    readonly contractTypes: readonly string[];
    readonly card?: { readonly number: string; readonly expiryMonth: string; readonly expiryYear: string };
    readonly bank?: { readonly iban?: string };
  };
}

const detailsOf = async ({ callers }: Server, input: object, authorization?: string) => {
  const { status, answer } = await ask(callers, 'listRecurringDetails', input, authorization);
  expect(status).toBe(200);
  return { answer, details: ((answer.details ?? []) as readonly Shown[]).map((each) => each.RecurringDetail) };
};

/** The printed calls by the name of their script, as a user would copy them. */
const printedCalls = (output: string): ReadonlyMap<string, string> =>
  new Map([...output.matchAll(/^# (\w+)\n(curl [\s\S]*?)\n\n/gm)].map(([, script, call]) => [script!, call!]));

const shell = (call: string): string => {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', call], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
};

test('the three printed calls work and return the same details', async () => {
  const server = await startServer('demo', folder.path);
  const calls = printedCalls(server.output());
  expect([...calls.keys()]).toEqual(['SOAP', 'JSON', 'FORM']);
  const answers = [...calls.values()].map(shell);
  const references = (
    await detailsOf(server, { ...shopper('shopper-1'), recurring: { contract: 'ONECLICK' } })
  ).details.map(({ recurringDetailReference }) => recurringDetailReference);
  expect(references).toHaveLength(1);
  for (const answer of answers) {
    const found = [...answer.matchAll(/recurringDetailReference(?:>|":"|=)([A-Z0-9]{16})/g)].map(
      ([, reference]) => reference,
    );
    expect(found).toEqual(references);
  }
  for (const [, address] of server.output().matchAll(/(http:\S+(?:wsdl|json|readyz|metrics))/g))
    expect((await fetch(address!)).status).toBe(200);
  expect(existsSync(join(server.dataDir, 'keys'))).toBe(true);
  expect(server.output()).toContain(`Created the key file ${join(server.dataDir, 'keys')}`);
  expect(await server.stop()).toBe(0);
});

test('the data matches its page', async () => {
  const server = await startServer('demo', folder.path);
  const { answer, details } = await detailsOf(server, shopper('shopper-1'));
  expect(answer.lastKnownShopperEmail).toBe('shopper-1@example.com');
  expect(details).toMatchObject([
    {
      variant: 'visa',
      contractTypes: ['ONECLICK', 'RECURRING'],
      card: { number: '1111', expiryMonth: '3', expiryYear: '2030' },
    },
    { variant: 'mc', contractTypes: ['RECURRING'], card: { number: '1111', expiryMonth: '10', expiryYear: '2031' } },
    { variant: 'sepadirectdebit', contractTypes: ['PAYOUT'] },
  ]);
  const foreign = await detailsOf(server, { merchantAccount: 'OtherMerchant', shopperReference: 'shopper-1' }, other);
  expect(foreign.details).toHaveLength(1);
  expect((await ask(server.callers, 'listRecurringDetails', shopper('shopper-1'), other)).status).toBe(403);
  const atNl = { merchantAccount: 'DemoMerchantNL', shopperReference: 'shopper-1' };
  expect((await ask(server.callers, 'listRecurringDetails', atNl)).answer).toEqual({});
  await server.stop();
});

describe('a second start', () => {
  test('reuses the data: disabled details stay disabled, stored details remain, nothing is duplicated', async () => {
    const own = tempFolder();
    const before = await startServer('demo', own.path, { DEMO_SHOPPERS: '5' });
    const first = (await detailsOf(before, shopper('shopper-1'))).details;
    const gone = { ...shopper('shopper-1'), recurringDetailReference: first[1]!.recurringDetailReference };
    await ask(before.callers, 'disable', gone);
    await before.stop();

    const after = await startServer('demo', own.path, { DEMO_SHOPPERS: '8' });
    expect(after.output()).toContain('Added 3 generated shoppers');
    const second = (await detailsOf(after, shopper('shopper-1'))).details;
    expect(second).toEqual([first[0], first[2]]);
    for (let n = 1; n <= 8; n++) {
      const { details } = await detailsOf(after, shopper(`shopper-00000${n}`));
      expect(details.map(({ variant }) => variant)).toEqual(['visa', 'mc', 'amex']);
    }
    expect((await ask(after.callers, 'listRecurringDetails', shopper('shopper-000009'))).answer).toEqual({});
    await after.stop();
    own.discard();
  });
});

test('generates shoppers in several transactions', async () => {
  const own = tempFolder();
  const server = await startServer('demo', own.path, { DEMO_SHOPPERS: '350' });
  const { details } = await detailsOf(server, shopper('shopper-000350'));
  expect(details).toHaveLength(3);
  await server.stop();
  own.discard();
});

describe('SIGKILL right after an answer', () => {
  const rounds = 3;
  const card = { expiryMonth: '3', expiryYear: '2030', holderName: 'Anna van Dijk' };
  const numbers = ['4111111111111111', '5555444433331111', '4444333322221111', '370000000000002', '4000620000000007'];

  test('loses no stored detail and no disabling', async () => {
    const own = tempFolder();
    const stored: string[] = [];
    for (let round = 0; round < rounds; round++) {
      const storing = await startServer('demo', own.path);
      const token = {
        card: { ...card, number: numbers[round] },
        recurring: { contract: 'RECURRING' },
        ...shopper(`kill-${round}`),
      };
      const { status, answer } = await ask(storing.callers, 'storeToken', token);
      await storing.kill();
      expect(status).toBe(200);
      stored.push(answer.recurringDetailReference as string);

      const disabling = await startServer('demo', own.path);
      const found = (await detailsOf(disabling, shopper(`kill-${round}`))).details;
      expect(found.map(({ recurringDetailReference }) => recurringDetailReference)).toEqual([stored[round]]);
      const gone = await ask(disabling.callers, 'disable', {
        ...shopper(`kill-${round}`),
        recurringDetailReference: stored[round],
      });
      await disabling.kill();
      expect(gone.answer).toEqual({ response: '[detail-successfully-disabled]' });
    }
    const last = await startServer('demo', own.path);
    for (let round = 0; round < rounds; round++)
      expect((await detailsOf(last, shopper(`kill-${round}`))).details).toEqual([]);
    await last.stop();
    own.discard();
  });
});

test('the balance platform matches what the demo prints, and `platform show` prints it again', async () => {
  const server = await startServer('demo', folder.path);
  const printed = /^On the balance platform DemoPlatform, at (\S+):\n([\s\S]*?)\n\n/m.exec(server.output())!;
  const [, address, tree] = printed as unknown as [string, string, string];
  expect(tree.split('\n').map((line) => line.trim().split('  ')[1])).toEqual([
    'accountHolder',
    ...['balanceAccount', 'paymentInstrument', 'paymentInstrument', 'balanceAccount', 'paymentInstrument'],
  ]);
  for (const authorization of [{ 'X-API-Key': 'demo-platform-key' }, basicOf('ws@BalancePlatform.Demo')]) {
    const id = /PI[A-Z0-9]{23}/.exec(tree)![0];
    const answer = await fetch(`${address}/paymentInstruments/${id}`, { headers: authorization });
    expect({ status: answer.status, body: await answer.json() }).toMatchObject({ status: 200, body: { id } });
  }
  const foreign = await fetch(`${address}/balancePlatforms/DemoPlatform`, { headers: { 'X-API-Key': 'demo-api-key' } });
  expect(foreign.status).toBe(403);
  const variables = { DATA_DIR: server.dataDir, KEY_FILE: join(server.dataDir, 'keys') };
  const { code, stdout } = await triglyph(['platform', 'show', 'DemoPlatform'], folder.path, variables);
  expect({ code, stdout: stdout.trim() }).toEqual({ code: 0, stdout: tree });
  const json = await triglyph(['platform', 'show', 'DemoPlatform', '--json'], folder.path, variables);
  expect(JSON.parse(json.stdout)[0].below).toHaveLength(2);
  expect((await triglyph(['platform', 'show', 'Nowhere'], folder.path, variables)).code).toBe(1);
  await server.stop();
});
