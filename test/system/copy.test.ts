/** Tests `triglyph copy` from SQLite to PostgreSQL: recovery from kills, refusals, and servers on the copied data. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { appendLuhnDigit } from '../../src/core/contract/check-digits.ts';
import { killedWhen, triglyph } from '../support/commands.ts';
import { tables } from '../support/migrated.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { ask, basic, type Production, prepareProduction, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

type Rows = readonly Readonly<Record<string, unknown>>[];

const shoppers = 6_000;
const folder = tempFolder();
let production: Production;
let server: Postgres;
let target: string;

const numberOf = (n: number): string => appendLuhnDigit(`411111${String(n).padStart(9, '0')}`);

const row = (n: number) => ({
  merchantAccount: 'AcmeWeb',
  // Covers both sort orders: by bytes and by locale.
  shopperReference: `${n % 2 === 0 ? 'Row' : 'row'}-${n}-é'";`,
  contracts: 'ONECLICK,RECURRING',
  card: { number: numberOf(n), expiryMonth: '03', expiryYear: '2030', holderName: 'Anna van Dijk' },
});

const sourceFile = () => join(production.variables.DATA_DIR!, 'triglyph.db');

beforeAll(async () => {
  server = await startPostgres();
  production = await prepareProduction(folder.path);
  const lines = Array.from({ length: shoppers }, (_, n) => JSON.stringify(row(n)));
  writeFileSync(join(folder.path, 'rows.jsonl'), `${lines.join('\n')}\n`);
  const { code, stderr } = await triglyph(['import', 'rows.jsonl'], folder.path, production.variables);
  if (code !== 0) throw new Error(stderr);
  const database = new DatabaseSync(sourceFile());
  database.exec(`insert into idempotency_record (record_key, request_hash, operation, request_reference, outcome, created_at, expires_at)
    values ('scope', 'fp', 'disable', 'QFQTPCQ8HXSKGK82', '{}', 1700000000000, 4000000000000)`);
  database.close();
});
afterAll(async () => {
  await server.discard();
  folder.discard();
});
beforeEach(async () => {
  target = await server.createDatabase();
});

/** Passes the URL in the environment, so that process lists do not show it. */
const parameters = ['copy', '--from', 'sqlite:./data', '--to', 'env:TARGET'];
const copy = () => triglyph(parameters, folder.path, { TARGET: target });
let copied: string | undefined;
/** The target holds all rows. One command copies them for all tests of what follows. */
const fillTarget = async (): Promise<void> => {
  if (copied === undefined) {
    expect((await copy()).code).toBe(0);
    copied = target;
  }
  target = await server.createDatabase(copied);
};
const rowsDone = async (): Promise<number> => {
  const [found] = await server
    .ask(`select rows_done from copy_progress where table_name = 'stored_detail'`, [], target)
    .catch(() => []);
  return Number(found?.rows_done ?? 0);
};
/** Kills the copy with SIGKILL once the target holds the given number of details. */
const killedAt = (rows: number) =>
  killedWhen(parameters, folder.path, { TARGET: target }, async () => (await rowsDone()) >= rows);

const inSource = (text: string, file = sourceFile()): Rows => {
  const database = new DatabaseSync(file, { readOnly: true });
  const rows = database.prepare(text).all() as Rows;
  database.close();
  return rows;
};

/** Normalizes rows: sorted outside the database, with numbers in one form for both clients. */
const comparable = (rows: Rows): readonly string[] =>
  rows
    .map((each) =>
      JSON.stringify(
        Object.entries(each)
          .map(([column, value]) => [column, value === null ? null : String(value)])
          .sort(),
      ),
    )
    .sort();

const expectSame = async (file = sourceFile()): Promise<void> => {
  for (const { name } of copiedTables) {
    const there = comparable(await server.ask(`select * from ${name}`, [], target));
    expect({ name, rows: there }).toEqual({ name, rows: comparable(inSource(`select * from ${name}`, file)) });
  }
};

const copiedTables = tables.filter(({ isOfDatabase }) => !isOfDatabase);

describe('the tables of a copy', () => {
  test('cover the whole schema with their primary keys, in foreign-key order', () => {
    const named = inSource(`select name from sqlite_master where type = 'table'`).map(({ name }) => String(name));
    expect([...tables.map(({ name }) => name), 'migration', 'migration_lock'].sort()).toEqual(named.sort());
    for (const [index, { name, key }] of tables.entries()) {
      const columns = inSource(`select name, pk from pragma_table_info('${name}') where pk > 0 order by pk`);
      expect(columns.map((column) => column.name)).toEqual(key);
      const before = tables.slice(0, index).map((table) => table.name);
      for (const { table } of inSource(`select "table" from pragma_foreign_key_list('${name}')`))
        expect(before).toContain(table);
    }
  });
});

describe('a copy', () => {
  test('resumes after two kills, duplicates no row, and verifies', async () => {
    for (const rows of [300, 900]) {
      expect((await killedAt(rows)).code).toBeNull();
      const [{ many } = {}] = await server.ask('select count(*) as many from stored_detail', [], target);
      expect(Number(many)).toBe(await rowsDone());
      expect(Number(many)).toBeGreaterThanOrEqual(rows);
      expect(Number(many)).toBeLessThan(shoppers);
    }
    const { code, stdout, stderr } = await copy();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^stored_detail +6000 rows {2}[0-9a-f]{64}$/m);
    expect(stdout).toContain(`from ./data to PostgreSQL at 127.0.0.1:${server.port}/`);
    expect(stdout).not.toContain(server.password);
    await expectSame();
    expect(await server.ask('select * from copy_progress', [], target)).toEqual([]);

    const again = await copy();
    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(again.stderr).toContain('the target already holds rows in idempotency_record');
    await expectSame();
  });

  test('that is unfinished is not served and not resumed from another store', async () => {
    await killedAt(500);
    const variables = { ...production.variables, DATABASE_URL: target };
    const { code, stderr } = await triglyph(['serve'], folder.path, variables);
    expect(code).toBe(1);
    expect(stderr).toContain('holds an unfinished copy: run the same `triglyph copy` again');
    expect(stderr).not.toContain(server.password);

    const other = tempFolder();
    await triglyph(['migrate'], other.path);
    await triglyph(['credential', 'merchant-account', 'add', 'Other', 'OtherWeb'], other.path, {
      KEY_FILE: production.variables.KEY_FILE!,
    });
    const foreign = await triglyph(parameters, other.path, { TARGET: target });
    other.discard();
    expect(foreign.code).toBe(1);
    expect(foreign.stderr).toContain('an unfinished copy of another store');
  });

  test('that was altered fails verification', async () => {
    await killedAt(500);
    await server.ask(
      `update stored_detail set sealed_number = 'x' where recurring_detail_reference =
         (select min(recurring_detail_reference) from stored_detail)`,
      [],
      target,
    );
    const { code, stdout, stderr } = await copy();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('stored_detail is not the same in both (6000 and 6000 rows)');
  });

  test('into a database that holds rows is refused and changes nothing', async () => {
    const variables = { DATABASE_URL: target, KEY_FILE: production.variables.KEY_FILE! };
    await triglyph(['migrate'], folder.path, variables);
    await triglyph(['credential', 'merchant-account', 'add', 'Beta', 'BetaWeb'], folder.path, variables);
    const { code, stderr } = await copy();
    expect(code).toBe(1);
    expect(stderr).toBe('triglyph: the target already holds rows in row_integrity: name an empty one\n');
    const accounts = await triglyph(['credential', 'merchant-account', 'list'], folder.path, variables);
    expect(accounts.stdout).toBe('Beta  BetaWeb\n');
  });

  test('from a folder that a server uses is refused', async () => {
    const serving = await startServer('serve', folder.path, production.variables);
    const { code, stderr } = await copy();
    await serving.stop();
    expect(code).toBe(1);
    expect(stderr).toMatch(/serves from \.\/data already/);
  });

  test('works from PostgreSQL to SQLite as well', async () => {
    await fillTarget();
    const back = await triglyph(['copy', '--from', 'env:TARGET', '--to', 'sqlite:back'], folder.path, {
      TARGET: target,
    });
    expect({ code: back.code, stderr: back.stderr }).toEqual({ code: 0, stderr: '' });
    await expectSame(join(folder.path, 'back', 'triglyph.db'));
  });

  test.each([
    ['env:TARGET', 'postgres://me:hush@host#1/db', '--to names TARGET, which is no store'],
    ['env:TARGET', '', '--to names TARGET, which is no store'],
    ['mysql://me:hush@host/db', '', '--to is no store'],
    ['env:TARGET', 'postgres://me:hush@127.0.0.1:1/db', 'no connection to 127.0.0.1:1/db: ECONNREFUSED'],
  ])('to %s (%j) is refused without showing a password', async (to, TARGET, message) => {
    const { code, stdout, stderr } = await triglyph(['copy', '--from', 'sqlite:./data', '--to', to], folder.path, {
      TARGET,
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('hush');
  });

  test('from a folder without a store is refused and creates nothing', async () => {
    const { code, stderr } = await triglyph(['copy', '--from', 'sqlite:gone', '--to', 'env:TARGET'], folder.path, {
      TARGET: target,
    });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^triglyph: gone: there is no store in this folder: .*\n$/),
    });
  });
});

describe("the tables of services of one's own", () => {
  const own = tempFolder();
  afterAll(() => own.discard());

  /** `later`: columns that a later release adds. A process loads each file once. */
  const configure = (file: string, later = '') =>
    writeFileSync(
      join(own.path, file),
      `import { defineConfig } from 'triglyph';
import { column, object, operation, optional, service, string, table } from 'triglyph/contract';
const text = object('Text', { text: optional(string({ example: 'x' }), 'A text.') });
const save = operation({
  name: 'save', doc: 'Saves.', effect: 'writes', role: 'notes', problems: [], input: text, output: text,
});
const contract = service({
  name: 'Notes', version: 1, doc: 'Notes.', address: '/notes', operations: [save],
  namespaces: { own: 'n', uris: { n: 'urn:example:notes' } },
});
const stated = { signed: 'none', belongsTo: 'none', keptFor: 'forever' };
const { tenant, integer, text: plain, nullable, since } = column;
const authors = table('note2_author', {
  ...stated, columns: { id: integer, name: nullable(plain) }, key: ['id'], shared: 'tenants',
});
const notes = table('note', {
  ...stated,
  columns: { tenant, id: integer, text: plain, author: integer${later} },
  key: ['tenant', 'id'],
  references: [{ columns: ['author'], table: authors }],
});
const services = [contract.with({ save: async ({ input }) => input }, { tables: [authors, notes] })];
export default defineConfig({ services });
`,
    );
  const copyNotes = (file: string) => triglyph(['--config', file, ...parameters], own.path, { TARGET: target });

  beforeAll(async () => {
    configure('notes.mjs');
    configure('later.mjs', ', title: since(2, nullable(plain))');
    writeFileSync(join(own.path, 'none.mjs'), 'export default {};');
    await triglyph(['--config', 'notes.mjs', 'migrate'], own.path, { DATA_DIR: 'data' });
    const database = new DatabaseSync(join(own.path, 'data', 'triglyph.db'));
    database.exec(`create table of_another_program (id integer primary key);
      insert into note2_author values (1, 'Anna'), (2, null);
      with recursive n(id) as (select 1 union all select id + 1 from n where id < 1200)
        insert into note select 'acme', id, 'note ' || id, 1 from n`);
    database.close();
  });
  test('are copied and compared, and servers go on with their migrations', async () => {
    const { code, stdout, stderr } = await copyNotes('notes.mjs');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^note2_author +2 rows[\s\S]*^note +1200 rows/m);
    expect(stdout).not.toContain('of_another_program');
    expect(await server.ask('select * from note2_author order by id', [], target)).toEqual([
      { id: '1', name: 'Anna' },
      { id: '2', name: null },
    ]);
    const migrated = await triglyph(['--config', 'later.mjs', 'migrate'], own.path, { DATABASE_URL: target });
    expect(migrated).toMatchObject({ code: 0, stderr: '' });
    expect(await server.ask('select title from note where id = 7', [], target)).toEqual([{ title: null }]);
  });

  test.each([
    ['of a service that no file names', 'none.mjs', /tables of Notes: name this service in the configuration/],
    [
      'of a service that was not migrated',
      'later.mjs',
      /is at migration 1 of Notes and this program needs 2: .* run `triglyph migrate`/,
    ],
  ])('%s are refused, and nothing is written', async (_, file, message) => {
    const { code, stdout, stderr } = await copyNotes(file);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(message);
    expect(await server.ask(`select 1 from pg_class where relname = 'note'`, [], target)).toEqual([]);
  });
});

describe('servers on PostgreSQL', () => {
  const authorization = () => basic(production.credential.username, production.credential.secret);
  const list = (callers: string, shopperReference: string) =>
    ask(callers, 'listRecurringDetails', { merchantAccount: 'AcmeWeb', shopperReference }, authorization());

  test('two servers serve the copied data across a restart of the database', async () => {
    await fillTarget();
    const urlFile = join(folder.path, 'url');
    writeFileSync(urlFile, target, { mode: 0o600 });
    const variables = { KEY_FILE: production.variables.KEY_FILE!, DATABASE_URL_FILE: urlFile };
    const [one, other] = await Promise.all([
      startServer('serve', folder.path, variables),
      startServer('serve', folder.path, variables),
    ]);
    try {
      const { shopperReference } = row(7);
      expect(await list(one.callers, shopperReference)).toMatchObject({ status: 200, answer: { details: [{}] } });
      const fresh = {
        merchantAccount: 'AcmeWeb',
        shopperReference: 'fresh',
        recurring: { contract: 'RECURRING' },
        card: { number: numberOf(9), expiryMonth: '03', expiryYear: '2030', holderName: 'Anna' },
      };
      const stored = await ask(one.callers, 'storeToken', fresh, authorization());
      expect(stored.status).toBe(200);
      expect(await list(other.callers, 'fresh')).toMatchObject({ status: 200, answer: { details: [{}] } });

      await server.stop();
      const refused = await list(one.callers, 'fresh');
      expect(refused.status).toBe(503);
      expect((await fetch(`${other.admin}/readyz`)).status).toBe(503);
      await server.start();
      for (const { callers, admin } of [one, other]) {
        expect((await list(callers, 'fresh')).status).toBe(200);
        // Probes within two seconds share one write.
        await until('readiness', async () => (await fetch(`${admin}/readyz`)).status === 200);
      }
    } finally {
      expect(await one.stop()).toBe(0);
      expect(await other.stop()).toBe(0);
    }
    for (const { output } of [one, other]) expect(output()).not.toContain(server.password);
  });

  test('migrate lists the applied migrations, then reports that there is nothing to do', async () => {
    const migrate = () => triglyph(['migrate'], folder.path, { DATABASE_URL: target });
    const place = `PostgreSQL at 127.0.0.1:${server.port}${new URL(target).pathname}`;
    const first = await migrate();
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toMatch(/: applied engine 1, recurring 1, balance-platform 1\.\n$/);
    expect(first.stdout.startsWith(place)).toBe(true);
    const second = await migrate();
    expect(second.code).toBe(0);
    expect(second.stdout).toMatch(/: nothing to do\.\n$/);
  });

  test('migrate refuses another encoding than UTF-8 and a role without rights, and commands say what a role lacks', async () => {
    const name = 'latin';
    await server.ask(`create database ${name} encoding 'LATIN1' locale 'C' template template0`);
    const latin = new URL(target);
    latin.pathname = `/${name}`;
    const { KEY_FILE = '' } = production.variables;
    const run = (url: string | URL, ...command: string[]) =>
      triglyph(command, folder.path, { KEY_FILE, DATABASE_URL: String(url) });
    expect(await run(latin, 'migrate')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the database has the encoding LATIN1: create one with UTF8'),
    });
    await server.ask(`create role reader login password '${server.password}'`);
    const reader = new URL(target);
    reader.username = 'reader';
    expect((await run(reader, 'migrate')).stderr).toMatch(/^triglyph: this role may not create or change tables: run/);
    expect(await run(target, 'migrate')).toMatchObject({ code: 0 });
    expect((await run(reader, 'credential', 'list')).stderr).toMatch(/^triglyph: this role may not read the tables/);
    await server.ask('drop role reader');
    await server.ask(`drop database ${name}`);
  });

  test('check hides the URL and names the database that the keys do not open', async () => {
    await fillTarget();
    const strange = join(folder.path, 'strange-keys');
    await triglyph(['keys', 'create', strange], folder.path);
    const { code, stdout } = await triglyph(['check', '--settings'], folder.path, {
      DATABASE_URL: target,
      KEY_FILE: strange,
    });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^DATABASE_URL +\(hidden\)/m);
    expect(stdout).toContain(`do not open what is stored in PostgreSQL at 127.0.0.1:${server.port}/`);
    expect(stdout).not.toContain(server.password);
  });

  test('the demo uses an empty database and refuses one with other accounts', async () => {
    const demo = await startServer('demo', folder.path, { DATABASE_URL: target, DATA_DIR: join(folder.path, 'demo') });
    expect(demo.output()).toContain(`Data     PostgreSQL at 127.0.0.1:${server.port}/`);
    expect(demo.output()).not.toContain(server.password);
    expect(await demo.stop()).toBe(0);

    await fillTarget();
    const { code, stderr } = await triglyph(['demo'], folder.path, {
      DATABASE_URL: target,
      DATA_DIR: join(folder.path, 'demo'),
      KEY_FILE: production.variables.KEY_FILE!,
    });
    expect(code).toBe(1);
    expect(stderr).toContain("DATABASE_URL holds accounts that are not the demo's");
    expect(stderr).not.toContain(server.password);
    await expectSame();
  });
});
