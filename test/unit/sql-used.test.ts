/** Keeps docs/growing.md true: which SQL the program uses, as its sources say it. Other engines are compared with that list. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { schemaTexts } from '../support/migrated.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/growing.md'), 'utf8');

const filesOf = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(root, folder, name));

const literal = /`((?:[^`\\]|\\.)*)`|'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"/g;
const comment = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;
const sql =
  /^[\s;]*(?:\(extract|select|insert into|update|delete from|with|create|alter|drop|begin isolation|set local|savepoint|release|rollback|serializable|read committed|for update|for each|\$\$)\b/i;

/** The texts of SQL in the sources. What is written for SQLite alone is left out. */
const textsIn = (source: string): readonly string[] =>
  [
    ...source
      .replaceAll(/^ {4}sqlite: \[[\s\S]*?^ {4}\],/gm, '')
      .replaceAll(comment, '')
      .matchAll(literal),
  ]
    .map(([, ...texts]) => texts.find((text) => text !== undefined) ?? '')
    .filter((text) => sql.test(text));

const texts = [
  ...['src/stores/sql', 'src/stores/postgres', 'src/payments']
    .flatMap(filesOf)
    .flatMap((file) => textsIn(readFileSync(file, 'utf8'))),
  ...schemaTexts('postgres'),
].map((text) => text.toLowerCase());
const all = texts
  .join('\n')
  .replaceAll('skip_locked()', 'for update skip locked')
  .replaceAll('collate_bytes()', 'collate "c"');

/** By the names of the page. */
const used: Readonly<Record<string, RegExp>> = {
  'serializable transactions': /^serializable$/m,
  'read committed transactions': /^read committed$/m,
  savepoints: /\bsavepoint handler/,
  '`for update skip locked`': /for update skip locked/,
  '`collate "C"`': /\bcollate "c"/,
  '`insert ... on conflict do update` with a condition': /on conflict[^;]*do update[^;]*\bwhere\b/,
  '`insert ... on conflict do nothing`': /on conflict[^;]*do nothing/,
  '`returning`': /\breturning\b/,
  'foreign keys': /foreign key/,
  'unique indexes over several columns': /create unique index|\bunique \(\w+, /,
  'partial indexes': /create (?:unique )?index [^;`]*\bwhere\b/,
  'triggers in PL/pgSQL': /create trigger/,
  'schema changes in a transaction': /alter table/,
  'storage parameters of a table': /alter table \w+ set \(/,
  'limits of a transaction, by `set local`': /set local (?:statement|lock)_timeout/,
  '`set local synchronous_commit`': /set local synchronous_commit/,
  'window functions': /\bover \(/,
};

const unused: Readonly<Record<string, RegExp>> = {
  'advisory locks': /advisory/,
  '`listen` and `notify`': /\blisten\b|\bnotify\b|pg_notify/,
  'sequences and identity columns': /\bserial\b|\bbigserial\b|nextval|identity|create sequence/,
  'JSON types and operators': /\bjsonb?\b(?!_)|->>/,
  'partitioned tables': /partition (?:by (?:range|list|hash)|of)/,
  'temporary tables': /create temp/,
  extensions: /create extension/,
  'explicit table locks': /\block table\b/,
  'two-phase commits': /prepare transaction/,
  '`merge`': /\bmerge into\b/,
  '`copy`': /^\s*copy /m,
  'materialized views': /materialized/,
};

const namesUnder = (heading: string): readonly string[] => {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [own = ''] = section.split('\n## ');
  return [...own.matchAll(/^\| (?!---)([^|]+?) \|/gm)].map(([, name]) => name!).slice(1);
};

test('each feature of the page is in a statement', () => {
  expect(texts.length).toBeGreaterThan(150);
  const missing = Object.entries(used).filter(([, pattern]) => !pattern.test(all));
  expect(missing.map(([name]) => name)).toEqual([]);
  expect(namesUnder('What Triglyph uses')).toEqual(Object.keys(used));
});

test('what the page rules out is in no statement', () => {
  const found = Object.entries(unused).filter(([, pattern]) => pattern.test(all));
  expect(found.map(([name]) => name)).toEqual([]);
  const [, list = ''] = /\nIt uses none of these: ([\s\S]*?)\.\n/.exec(page) ?? [];
  expect(list.split(/,\s+/)).toEqual(Object.keys(unused));
  // Control: each pattern finds what it rules out.
  const statements = `select pg_advisory_lock(1); listen a; nextval('a'); a::jsonb; partition by range; create temp table;
    create extension a; lock table a; prepare transaction 'a'; merge into a;\ncopy a from stdin; materialized`;
  expect(Object.values(unused).filter((pattern) => !pattern.test(statements))).toEqual([]);
});

test('the page names each type of a column and each function', () => {
  const columns = texts
    .filter((text) => /^\s*(?:create table|alter table \S+ add column)/.test(text))
    .flatMap((text) => [
      ...text.matchAll(/(?:^\s+|add column )(?!primary|unique|foreign|check|references)\w+ (\w+)/gm),
    ]);
  const types = new Set(columns.map(([, type]) => type));
  expect([...types].sort()).toEqual(['bigint', 'text']);
  const functions = new Set(
    [...all.replaceAll(/\$\{[^}]*\}/g, '').matchAll(/\b([a-z_]+)\(/g)].map(([, name]) => name!),
  );
  const [, list = ''] = /\nFunctions: ([\s\S]*?)\.\n/.exec(page) ?? [];
  const named = [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
  // `in (` and the like have a space. These are our own, and an alias.
  for (const own of ['now_ms', 'audit_refuse', 'audit_refuse_unless_removed', 'key_column']) functions.delete(own);
  expect([...functions].sort()).toEqual(named);
});
