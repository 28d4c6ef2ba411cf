/** Tests `triglyph import`: both file formats, refused rows, recovery from a kill, and a server running at the same time. */
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { appendLuhnDigit } from '../../src/core/contract/check-digits.ts';
import { killedWhen, triglyph } from '../support/commands.ts';
import { ask, basic, type Production, prepareProduction, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
let production: Production;
beforeAll(async () => {
  production = await prepareProduction(folder.path);
});
afterAll(() => folder.discard());

const importFile = (file: string, ...options: string[]) =>
  triglyph(['import', file, ...options], folder.path, production.variables);

const numberOf = (n: number): string => appendLuhnDigit(`411111${String(n).padStart(9, '0')}`);

const row = (n: number, more: object = {}) => ({
  merchantAccount: 'AcmeWeb',
  shopperReference: `row-${n}`,
  contracts: 'ONECLICK,RECURRING',
  card: { number: numberOf(n), expiryMonth: '03', expiryYear: '2030', holderName: 'Anna van Dijk' },
  ...more,
});

const write = (name: string, lines: readonly (string | object)[]): string => {
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  writeFileSync(join(folder.path, name), `${text}\n`);
  return name;
};

interface Entry {
  readonly line: number;
  readonly row: number;
  readonly reasons: readonly { readonly field: string; readonly code: string; readonly message: string }[];
}

const reportOf = (file: string): readonly Entry[] =>
  readFileSync(join(folder.path, file), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Counts the rows of the database independently of the program's code. */
const count = (shoppers: string): { readonly details: number; readonly distinct: number } => {
  const database = new DatabaseSync(join(production.variables.DATA_DIR!, 'triglyph.db'), { readOnly: true });
  const counted = database
    .prepare(
      `select count(*) as details, count(distinct shopper_reference || fingerprint) as distinct_ones
         from stored_detail where shopper_reference like ?`,
    )
    .get(shoppers) as { details: number; distinct_ones: number };
  database.close();
  return { details: counted.details, distinct: counted.distinct_ones };
};

const authorization = () => basic(production.credential.username, production.credential.secret);

test('JSONL: valid rows are imported, invalid rows are reported with their line and every reason', async () => {
  const secret = numberOf(77);
  const file = write('mixed.jsonl', [
    row(1, {
      recurringDetailReference: '8314442372419167',
      creationDate: '2019-04-01T10:00:00Z',
      firstPspReference: '8815252013129012',
      shopperEmail: 'one@example.com',
      additionalData: { 'a.b': 'c' },
    }),
    '',
    row(2, { card: { number: '4111111111111112', expiryMonth: '13', expiryYear: '2030' }, contracts: 'NEVER' }),
    '{"merchantAccount":',
    row(3, { merchantAccount: 'Elsewhere' }),
    row(4, { card: undefined }),
    row(5, { [secret]: 'x', card: { ...row(5).card, number: secret, cvc: '737' } }),
    row(6, { card: undefined, bank: { iban: 'NL13TEST0123456789', ownerName: 'Anna van Dijk' }, contracts: 'PAYOUT' }),
    row(7, {
      card: undefined,
      tokenDetails: { tokenDataType: 'PayPal', tokenData: { EmailId: 'a@example.com' } },
      variant: 'paypal',
    }),
    'null',
    '[1]',
    'x'.repeat(70_000),
    row(8, { card: undefined, tokenDetails: { tokenDataType: 'PayPal' } }),
  ]);
  const { code, stdout, stderr } = await importFile(file);
  expect(stderr).toBe('');
  expect(stdout).toMatch(
    /^mixed\.jsonl: 3 rows imported, 9 refused; mixed\.jsonl\.refused\.jsonl says why \(\d+\.\d s\)\.\n$/,
  );
  expect(code).toBe(1);

  const text = readFileSync(join(folder.path, 'mixed.jsonl.refused.jsonl'), 'utf8');
  expect(text).not.toMatch(/\d{12}/);
  const report = reportOf('mixed.jsonl.refused.jsonl');
  expect(report.map(({ line, row: number }) => [line, number])).toEqual([
    [3, 2],
    [4, 3],
    [5, 4],
    [6, 5],
    [7, 6],
    [10, 9],
    [11, 10],
    [12, 11],
    [13, 12],
  ]);
  expect(report.map(({ reasons }) => reasons.map(({ field, code: problem }) => `${field} ${problem}`).sort())).toEqual([
    ['card.expiryMonth 129', 'card.holderName 128', 'card.number 101', 'contracts 125'],
    [' 702'],
    ['merchantAccount 901'],
    [' 927'],
    ['? 702', 'card.cvc 702'],
    [' 702'],
    [' 702'],
    [' 702'],
    [' 102'],
  ]);

  const server = await startServer('serve', folder.path, production.variables);
  const list = { merchantAccount: 'AcmeWeb', shopperReference: 'row-1' };
  const { answer } = await ask(server.callers, 'listRecurringDetails', list, authorization());
  await server.stop();
  expect(answer).toMatchObject({
    lastKnownShopperEmail: 'one@example.com',
    details: [
      {
        RecurringDetail: {
          recurringDetailReference: '8314442372419167',
          firstPspReference: '8815252013129012',
          creationDate: '2019-04-01T12:00:00+02:00',
          contractTypes: ['ONECLICK', 'RECURRING'],
          card: { number: numberOf(1).slice(-4), expiryMonth: '3' },
          additionalData: { 'a.b': 'c' },
        },
      },
    ],
  });
});

test('CSV: accepts dotted columns, empty cells, quotes and line breaks in a cell; reports invalid rows', async () => {
  const file = 'rows.csv';
  const columns =
    'merchantAccount,shopperReference,contracts,card.number,card.expiryMonth,card.expiryYear,card.holderName,additionalData.x.y,bank.iban,bank.ownerName';
  const lines = [
    `\uFEFF${columns}`,
    `AcmeWeb,csv-1,"RECURRING,ONECLICK",${numberOf(101)},03,2030,"Dijk, ""Anna"" van",,,`,
    `AcmeWeb,csv-2,RECURRING,${numberOf(102)},3,2031,"Anna\r\nvan Dijk",extra,,`,
    `AcmeWeb,csv-3,RECURRING,${numberOf(103)},3,2031,Anna,,,,one too many`,
    'AcmeWeb,csv-4,PAYOUT,,,,,,NL13TEST0123456789,Anna van Dijk',
    '',
    `AcmeWeb,,RECURRING,${numberOf(105)},3,2031,Anna,,,`,
  ];
  writeFileSync(join(folder.path, file), `${lines.join('\r\n')}\r\n`);
  const { code, stdout, stderr } = await importFile(file, '--report', 'csv-report.jsonl');
  expect(stderr).toBe('');
  expect(code).toBe(1);
  expect(stdout).toContain('rows.csv: 3 rows imported, 2 refused; csv-report.jsonl says why');
  expect(reportOf('csv-report.jsonl')).toEqual([
    // The line break in a cell makes the next row start in line 5; line 7 is empty.
    {
      line: 5,
      row: 3,
      reasons: [{ field: '', code: '702', message: 'the row has 11 cells where the header has 10 columns' }],
    },
    { line: 8, row: 5, reasons: [{ field: 'shopperReference', code: '121', message: expect.any(String) }] },
  ]);
  expect(count('csv-%')).toEqual({ details: 3, distinct: 3 });
});

describe('an unreadable CSV file', () => {
  const header = 'merchantAccount,shopperReference,contracts';
  test.each([
    ['no columns', '', 'the file is empty'],
    ['a column twice', 'merchantAccount,merchantAccount\n', 'line 1: the column names are not right: duplicate key'],
    ['a misspelt column', `${header},card.numbr\n`, 'line 1: column 4, "card.numbr", is unknown. No row was imported.'],
    ['a missing column', 'merchantAccount,contracts\n', 'line 1: the column shopperReference is missing.'],
    ['no column names', `AcmeWeb,shopper,RECURRING,${numberOf(9)}\n`, 'line 1: column 1, "AcmeWeb", is unknown;'],
    ['a card number for a column', `${header},${numberOf(9)}\n`, 'line 1: column 4, "[digits]", is unknown.'],
    ['a security code', `${header},card.cvc\n`, 'line 1: column 4, "card.cvc", is unknown.'],
    ['brackets in a column', 'card[number]\n', 'line 1: column 1, "card[number]", is unknown;'],
    [
      'a quote that is never closed',
      'merchantAccount,shopperReference,contracts\nAcmeWeb,"abc\n',
      'line 2: a quoted cell is never closed',
    ],
  ])('%s', async (name, text, message) => {
    const file = `${name.replaceAll(' ', '-')}.csv`;
    writeFileSync(join(folder.path, file), text);
    const { code, stderr } = await importFile(file);
    expect(code).toBe(1);
    expect(stderr).toContain(`triglyph: ${message}`);
  });

  test('a wrong first line: prints the expected columns and none of the rows', async () => {
    writeFileSync(join(folder.path, 'shifted.csv'), `merchant,shopper\nAcmeWeb,secret-shopper\n`);
    const { code, stdout, stderr } = await importFile('shifted.csv');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(
      '\ntriglyph: Expected columns: contracts,merchantAccount,shopperReference,[acquirer],[acquirerAccount],[additionalData.*],',
    );
    expect(stderr).not.toContain('secret-shopper');
    expect(existsSync(join(folder.path, 'shifted.csv.refused.jsonl'))).toBe(false);
  });

  test('bytes that are not UTF-8', async () => {
    writeFileSync(
      join(folder.path, 'latin.csv'),
      Buffer.from(`${header},name\nAcmeWeb,a,RECURRING,Ren\xe9\n`, 'latin1'),
    );
    const { code, stderr } = await importFile('latin.csv');
    expect(code).toBe(1);
    expect(stderr).toContain('the file is not UTF-8');
  });
});

test('a file with another extension is refused', async () => {
  const { code, stderr } = await importFile('rows.xlsx');
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'triglyph: rows.xlsx: the name of the file must end in .jsonl or .csv\n',
  });
});

test('a finished import is not repeated; a corrected file leaves imported rows unchanged', async () => {
  const file = write('twice.jsonl', [row(201), row(202)]);
  expect((await importFile(file)).code).toBe(0);
  expect(existsSync(join(folder.path, 'twice.jsonl.refused.jsonl'))).toBe(false);
  const again = await importFile(file);
  expect(again).toEqual({
    code: 0,
    stdout: 'twice.jsonl was imported before, all 2 rows of it: nothing was changed.\n',
    stderr: '',
  });
  appendFileSync(join(folder.path, file), `${JSON.stringify(row(203))}\n`);
  expect((await importFile(file)).stdout).toContain('3 rows imported, 0 refused');
  expect(count('row-20%')).toEqual({ details: 3, distinct: 3 });
});

test('a reference that another detail has refuses that row only and creates no shopper', async () => {
  const taken = { recurringDetailReference: 'TAKEN00000000000' };
  const file = write('taken.jsonl', [row(301, taken), row(302, taken), row(303)]);
  const { stdout } = await importFile(file);
  expect(stdout).toContain('2 rows imported, 1 refused');
  expect(reportOf('taken.jsonl.refused.jsonl')).toMatchObject([
    { line: 2, row: 2, reasons: [{ field: 'recurringDetailReference' }] },
  ]);
  const server = await startServer('serve', folder.path, production.variables);
  const list = { merchantAccount: 'AcmeWeb', shopperReference: 'row-302' };
  const { answer } = await ask(server.callers, 'listRecurringDetails', list, authorization());
  await server.stop();
  expect(answer).toEqual({});
});

test('an import next to a running server, killed twice with SIGKILL, resumes and imports no row twice', async () => {
  const rows = 6_000;
  const bad = (n: number) => n % 100 === 50;
  const lines = Array.from({ length: rows }, (_, index) =>
    row(10_000 + index, bad(index) ? { contracts: 'NEVER' } : {}),
  );
  const file = write('long.jsonl', lines);
  const server = await startServer('serve', folder.path, production.variables);
  const imported = () => count('row-1____').details;
  const killedAt: number[] = [];
  for (const share of [0.2, 0.4]) {
    const { code, stdout } = await killedWhen(
      ['import', file],
      folder.path,
      production.variables,
      () => imported() >= rows * share,
    );
    expect({ code, stdout }).toEqual({ code: null, stdout: '' });
    killedAt.push(imported());
  }
  expect(killedAt[0]).toBeGreaterThan(0);
  expect(killedAt[1]).toBeLessThan(rows - rows / 100);
  const { code, stdout } = await importFile(file);
  expect(code).toBe(1);
  expect(stdout).toContain(' rows were imported before.');
  expect(stdout).toContain(`, ${rows / 100} refused;`);
  const good = rows - rows / 100;
  expect(count('row-1____')).toEqual({ details: good, distinct: good });
  const report = reportOf('long.jsonl.refused.jsonl');
  expect(report.map(({ row: number }) => number)).toEqual(lines.flatMap((_, index) => (bad(index) ? [index + 1] : [])));
  const list = { merchantAccount: 'AcmeWeb', shopperReference: 'row-10000' };
  expect((await ask(server.callers, 'listRecurringDetails', list, authorization())).answer.details).toHaveLength(1);
  await server.stop();
});

test('the data folder contains no imported card number in clear text', () => {
  const data = production.variables.DATA_DIR!;
  const numbers = [1, 77, 101, 201, 303, 10_000, 12_345].map(numberOf);
  for (const name of readdirSync(data)) {
    const bytes = readFileSync(join(data, name));
    for (const number of numbers) expect(bytes.includes(number)).toBe(false);
  }
});
