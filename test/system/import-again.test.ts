/** Tests imports that are tried first, that are repeated, and of the template files: the real program on both engines. */
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { columnsOf } from '../../src/backend/import/columns.ts';
import { appendLuhnDigit } from '../../src/core/contract/check-digits.ts';
import { importRow } from '../../src/payments/recurring/import-row.ts';
import { type Ended, triglyph, type Variables } from '../support/commands.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { ask, basic, type Production, prepareProduction, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const docs = join(import.meta.dirname, '../../docs');
const numberOf = (n: number): string => appendLuhnDigit(`411111${String(n).padStart(9, '0')}`);

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.discard());

describe.each(['SQLite', 'PostgreSQL'])('on %s', (engine) => {
  const folder = tempFolder();
  let production: Production;
  beforeAll(async () => {
    const also: Variables = engine === 'SQLite' ? {} : { DATABASE_URL: await postgres.createDatabase() };
    production = await prepareProduction(folder.path, also);
  });
  afterAll(() => folder.discard());

  const run = (...parameters: string[]): Promise<Ended> => triglyph(parameters, folder.path, production.variables);
  const write = (name: string, rows: readonly object[]): string => {
    writeFileSync(join(folder.path, name), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    return name;
  };
  const row = (n: number, more: object = {}) => ({
    merchantAccount: 'AcmeWeb',
    shopperReference: `row-${n}`,
    contracts: 'RECURRING',
    card: { number: numberOf(n), expiryMonth: '03', expiryYear: '2030', holderName: 'Anna van Dijk' },
    ...more,
  });
  const reportOf = (file: string) => readFileSync(join(folder.path, `${file}.refused.jsonl`), 'utf8');
  test('rows that were refused are imported once their cause is gone, and no row twice', async () => {
    const later = { merchantAccount: 'LaterWeb' };
    const mixed = Array.from({ length: 450 }, (_, index) => row(index, index % 3 === 0 ? later : {}));
    const file = write('later.jsonl', mixed);
    const first = await run('import', file);
    expect(first).toMatchObject({ code: 1, stdout: expect.stringContaining('300 rows imported, 150 refused') });
    const report = reportOf(file);

    // The cause is still there: the rows are refused again, with the same report.
    const second = await run('import', file);
    expect(second).toMatchObject({ code: 1, stdout: expect.stringContaining('0 rows imported, 150 refused') });
    expect(second.stdout).toContain('300 rows were imported before.');
    expect(reportOf(file)).toBe(report);

    expect((await run('credential', 'merchant-account', 'add', 'Acme', 'LaterWeb')).code).toBe(0);
    const third = await run('import', file);
    expect(third).toMatchObject({ code: 0, stdout: expect.stringContaining('150 rows imported, 0 refused') });
    expect(existsSync(join(folder.path, `${file}.refused.jsonl`))).toBe(false);
    expect(await run('import', file)).toEqual({
      code: 0,
      stdout: 'later.jsonl was imported before, all 450 rows of it: nothing was changed.\n',
      stderr: '',
    });
  });

  test('a dry run stores nothing, and has the report of the import', async () => {
    const taken = { recurringDetailReference: 'TAKEN00000000000' };
    const file = write('dry.jsonl', [
      row(1_001, taken),
      row(1_002, taken),
      row(1_003, { contracts: 'NEVER' }),
      row(1_004),
    ]);
    const before = await counts();
    const dry = await run('import', '--dry-run', file);
    expect(dry).toMatchObject({ code: 1, stderr: '' });
    expect(dry.stdout).toContain(
      'dry.jsonl: 2 rows would be imported, 2 would be refused; dry.jsonl.refused.jsonl says why',
    );
    const report = reportOf(file);
    expect(await counts()).toBe(before);
    // Control: the import stores rows, and refuses the same ones.
    expect((await run('import', file)).stdout).toContain('2 rows imported, 2 refused');
    expect(reportOf(file)).toBe(report);
    expect(await counts()).not.toBe(before);
  });

  /** What the store holds under keys. */
  const counts = async (): Promise<string> => (await run('keys', 'status')).stdout;

  test('the template files can be imported', async () => {
    for (const name of ['details.csv', 'details.jsonl']) {
      copyFileSync(join(docs, 'import', name), join(folder.path, name));
      expect(await run('import', name)).toMatchObject({ code: 0, stderr: '' });
    }
    const server = await startServer('serve', folder.path, production.variables);
    const { username, secret } = production.credential;
    const found = await Promise.all(
      [1, 2, 3, 4, 5].map(async (n) => {
        const shopper = { merchantAccount: 'AcmeWeb', shopperReference: `shopper-${n}` };
        const { answer } = await ask(server.callers, 'listRecurringDetails', shopper, basic(username, secret));
        return (answer.details as readonly { readonly RecurringDetail: { readonly variant: string } }[]).map(
          ({ RecurringDetail }) => RecurringDetail.variant,
        );
      }),
    );
    await server.stop();
    expect(found).toEqual([['visa'], ['mc'], ['sepadirectdebit'], ['visa'], ['paypal']]);
  });
});

test('the page lists the columns of the schema, and shows the template files', () => {
  const page = readFileSync(join(docs, 'import.md'), 'utf8');
  const marks = { always: 'every row', inObject: 'with its object', never: '' };
  for (const { name, required, doc } of columnsOf(importRow))
    expect(page).toContain(`| \`${name}\` | ${marks[required]} | ${doc} |`);
  for (const name of ['details.csv', 'details.jsonl'])
    expect(page).toContain(readFileSync(join(docs, 'import', name), 'utf8'));
});
