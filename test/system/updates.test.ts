/** Tests `updates import`: both file formats, refused rows, recovery from a kill, and the shopper's history. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { appendLuhnDigit } from '../../src/core/contract/check-digits.ts';
import { testCards } from '../../src/payments/recurring/account-updater/test-cards.ts';
import { killedWhen, triglyph } from '../support/commands.ts';
import { ask, basic, type Production, prepareProduction, type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
let production: Production;
let server: Server;
beforeAll(async () => {
  production = await prepareProduction(folder.path);
  server = await startServer('serve', folder.path, production.variables);
});
afterAll(async () => {
  await server?.stop();
  folder.discard();
});

const numberOf = (n: number): string => appendLuhnDigit(`401200${String(n).padStart(9, '0')}`);

const run = (...parameters: string[]) => triglyph(parameters, folder.path, production.variables);
const write = (name: string, lines: readonly string[]): string => {
  writeFileSync(join(folder.path, name), `${lines.join('\n')}\n`);
  return name;
};
const change = (n: number, more: object = {}): string =>
  JSON.stringify({
    merchantAccount: 'AcmeWeb',
    number: numberOf(n),
    newExpiryMonth: '08',
    newExpiryYear: '2034',
    ...more,
  });

const count = (): number => {
  const database = new DatabaseSync(join(production.variables.DATA_DIR!, 'triglyph.db'), { readOnly: true });
  const counted = database.prepare('select count(*) as changes from announced_change').get() as { changes: number };
  database.close();
  return counted.changes;
};

const call = async (operation: string, input: object) => {
  const authorization = basic(production.credential.username, production.credential.secret);
  const { status, answer } = await ask(
    server.callers,
    operation,
    { merchantAccount: 'AcmeWeb', ...input },
    authorization,
  );
  expect(status).toBe(200);
  return answer;
};

const store = async (shopperReference: string, number: string): Promise<string> => {
  const card = { number, expiryMonth: '3', expiryYear: '2027', holderName: 'Anna van Dijk' };
  const answer = await call('storeToken', { card, recurring: { contract: 'RECURRING' }, shopperReference });
  return String(answer.recurringDetailReference);
};

const check = async (shopperReference: string, selectedRecurringDetailReference: string) =>
  call('scheduleAccountUpdater', { reference: 'check', shopperReference, selectedRecurringDetailReference });

test('CSV: the last row of a card wins; refused rows are reported without card numbers', async () => {
  const file = write('changes.csv', [
    'merchantAccount,number,newNumber,newExpiryMonth,newExpiryYear,status',
    `AcmeWeb,${numberOf(1)},,,,closed`,
    `AcmeWeb,${numberOf(1)},${numberOf(901)},8,2034,`,
    `AcmeWeb,${numberOf(2)},,,,contactCardholder`,
    `AcmeWeb,${numberOf(3)},${numberOf(903)},,,`,
    `AcmeWeb,${numberOf(4)},${numberOf(904)},,,closed`,
    `AcmeWeb,${numberOf(5)},,8,2034,closed`,
    `AcmeWeb,${numberOf(6)},${numberOf(6)},8,2034,`,
    'AcmeWeb,4111111111111112,,8,2034,',
    `Elsewhere,${numberOf(7)},,8,2034,`,
    `AcmeWeb,${numberOf(8)},,13,2034,`,
    `AcmeWeb,${numberOf(9)},,,,lost`,
  ]);
  const { code, stdout, stderr } = await run('updates', 'import', file);
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(stdout).toMatch(/^changes\.csv: 3 rows imported, 8 refused; changes\.csv\.refused\.jsonl says why/);
  const text = readFileSync(join(folder.path, 'changes.csv.refused.jsonl'), 'utf8');
  expect(text).not.toMatch(/\d{12}/);
  const report = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(
    report.map(({ line, reasons }) => `${line} ${reasons.map((each: { field: string }) => each.field).join()}`),
  ).toEqual([
    '5 ',
    '6 newNumber',
    '7 status',
    '8 newNumber',
    '9 number',
    '10 merchantAccount',
    '11 newExpiryMonth',
    '12 status',
  ]);
  expect(count()).toBe(2);
});

test('an announced change updates the stored card, and its history shows the last four digits only', async () => {
  const reference = await store('follows', numberOf(1));
  const closed = await store('follows', testCards.find(({ result }) => result === 'CloseAccount')!.number);
  const asked = await store('follows', numberOf(2));
  const replaced = await check('follows', reference);
  expect(replaced.result).toBe('PANChanged');
  expect((await check('follows', closed)).result).toBe('CloseAccount');
  expect((await check('follows', asked)).result).toBe('ContactCardAccountHolder');
  expect((await check('follows', reference)).result).toBe('NoChange');

  const amount = { currency: 'INR', value: 1000 };
  const announced = { reference: 'notice', amount, billingDate: '2034-08-01', storedPaymentMethodId: reference };
  const { pspReference } = await call('notifyShopper', { ...announced, shopperReference: 'follows' });

  const { code, stdout, stderr } = await run('shopper', 'show', 'AcmeWeb', 'follows', '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).not.toMatch(/\d{12}(?!\d)(?<!alias":"[A-Z]\d{15})/);
  expect(stdout).not.toContain('Anna');
  const { details, notifications } = JSON.parse(stdout);
  expect(notifications).toMatchObject([
    { pspReference, amount, billingDate: '2034-08-01', recurringDetailReference: reference },
  ]);
  expect(details).toMatchObject([
    {
      recurringDetailReference: reference,
      card: { lastFour: numberOf(901).slice(-4), expiryMonth: '8', expiryYear: '2034' },
      changes: [
        {
          outcome: 'PANChanged',
          pspReference: replaced.pspReference,
          changedBy: production.credential.id,
          before: { lastFour: numberOf(1).slice(-4), expiryMonth: '3', expiryYear: '2027' },
          after: { lastFour: numberOf(901).slice(-4), expiryMonth: '8', expiryYear: '2034' },
        },
      ],
    },
    {
      recurringDetailReference: closed,
      disabledAt: expect.any(String),
      changes: [{ outcome: 'CloseAccount', before: { lastFour: '0046' } }],
    },
    { recurringDetailReference: asked, changes: [{ outcome: 'ContactCardAccountHolder' }] },
  ]);
  expect(details[0].changes[0].after.alias).not.toBe(details[0].changes[0].before.alias);

  const plain = await run('shopper', 'show', 'AcmeWeb', 'follows');
  expect(plain.stdout).toMatch(
    new RegExp(
      `PANChanged  \\*{4} ${numberOf(1).slice(-4)} 03/2027 \\(\\w{16}\\) -> \\*{4} ${numberOf(901).slice(-4)} 08/2034`,
    ),
  );
  expect(plain.stdout).toContain(`  announced INR 1000 on 2034-08-01 with ${reference}  ${pspReference}`);
  expect(plain.stdout).toMatch(new RegExp(`^${closed} {2}visa .* disabled \\d{4}-`, 'm'));
});

test('an unknown shopper or account is reported on one line', async () => {
  expect(await run('shopper', 'show', 'AcmeWeb', 'unknown-shopper')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'triglyph: AcmeWeb has no shopper of this reference\n',
  });
  const elsewhere = await run('shopper', 'show', 'Elsewhere', 'follows');
  expect(elsewhere.stderr).toBe(
    'triglyph: Elsewhere: there is no such merchant account: `triglyph credential merchant-account list` prints them\n',
  );
});

test('an import next to a running server, killed twice with SIGKILL, resumes and imports no row twice', async () => {
  const rows = 6_000;
  const bad = (n: number) => n % 100 === 50;
  const file = write(
    'long.jsonl',
    Array.from({ length: rows }, (_, n) => change(10_000 + n, bad(n) ? { newExpiryMonth: '13' } : {})),
  );
  const before = count();
  const good = rows - rows / 100;
  for (const share of [0.1, 0.2]) {
    const { code, stdout } = await killedWhen(
      ['updates', 'import', file],
      folder.path,
      production.variables,
      () => count() - before >= rows * share,
    );
    expect({ code, stdout }).toEqual({ code: null, stdout: '' });
    expect(count() - before).toBeLessThan(good);
  }
  const { code, stdout } = await run('updates', 'import', file);
  expect(code).toBe(1);
  expect(stdout).toContain(' rows were imported before.');
  expect(count() - before).toBe(good);
  const report = readFileSync(join(folder.path, 'long.jsonl.refused.jsonl'), 'utf8').trimEnd().split('\n');
  expect(report.map((line) => JSON.parse(line).row)).toEqual(
    Array.from({ length: rows / 100 }, (_, n) => 100 * n + 51),
  );
  const again = await run('updates', 'import', file);
  expect(again.stdout).toContain(`: 0 rows imported, ${rows - good} refused;`);
  const reference = await store('imported', numberOf(15_999));
  expect((await check('imported', reference)).result).toBe('CardExpiryChanged');
});

test('the same file imported as stored details is a separate import', async () => {
  const file = write('both.jsonl', [change(20_000)]);
  expect((await run('import', file)).stdout).toContain('0 rows imported, 1 refused');
  expect((await run('updates', 'import', file)).stdout).toContain('1 rows imported, 0 refused');
});

test('test cards have no special outcome where ENVIRONMENT is live', async () => {
  const renewed = testCards.find(({ result }) => result === 'CardExpiryChanged')!.number;
  const reference = await store('live', renewed);
  await server.stop();
  const proxied = { ENVIRONMENT: 'live', TRUSTED_PROXIES: '127.0.0.1', PUBLIC_URL: 'https://pay.example.com' };
  server = await startServer('serve', folder.path, { ...production.variables, ...proxied });
  expect((await check('live', reference)).result).toBe('NoChange');
});

test('the data folder contains no announced card number in clear text', () => {
  const data = production.variables.DATA_DIR!;
  for (const name of readdirSync(data)) {
    const bytes = readFileSync(join(data, name));
    for (const n of [1, 2, 901, 10_000, 15_999, 20_000]) expect(bytes.includes(numberOf(n))).toBe(false);
  }
});
