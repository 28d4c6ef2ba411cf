/** Tests that the audit log has an entry for every command, except for those that docs/audit.md names with a reason. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  commands,
  otherRecordedCommands,
  recordedCommands,
  unrecordedCommands,
} from '../support/command-parameters.ts';
import { triglyph, type Variables } from '../support/commands.ts';
import { prepareProduction, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { startTransitServer } from '../support/transit-server.ts';

const root = join(import.meta.dirname, '../..');
const folder = tempFolder();
const path = (name: string): string => join(folder.path, name);
let variables: Variables;
const run = (name: string, parameters: readonly string[], more: Variables = {}) =>
  triglyph([...name.split(' '), ...parameters], folder.path, { ...variables, ...more });

/** The subjects of the entries about commands, in their order. */
function recordedIn(dataDir: string): readonly unknown[] {
  const database = new DatabaseSync(join(dataDir, 'triglyph.db'), { readOnly: true });
  const rows = database.prepare(`select subject from audit_entry where kind = 'command' order by sequence`).all();
  database.close();
  return rows.map(({ subject }) => subject);
}

beforeAll(async () => {
  ({ variables } = await prepareProduction(folder.path));
  const upstreams = { erp: { url: 'https://erp.example.com', credentials: 'mapped' } };
  writeFileSync(path('triglyph.config.json'), JSON.stringify({ upstreams, answeredBy: { Recurring: 'erp' } }));
  for (const name of ['secret', 'rows.jsonl', 'message.json']) writeFileSync(path(name), 'x');
});
afterAll(() => folder.discard());

test('every command is in one of the lists, and docs/audit.md names those without an entry', () => {
  const listed = [
    ...Object.keys(recordedCommands),
    ...otherRecordedCommands,
    ...Object.keys(unrecordedCommands),
    'serve',
  ];
  expect(listed.toSorted()).toEqual(commands.toSorted());
  const page = readFileSync(join(root, 'docs/audit.md'), 'utf8');
  const [, section = ''] = /^## Commands without an entry$([\s\S]*?)^## /m.exec(page) ?? [];
  const named = [...section.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, names]) => names!.match(/[a-z][a-z -]+/g)!);
  expect(named.toSorted()).toEqual([...Object.keys(unrecordedCommands), 'serve'].toSorted());
});

// An entry is stored before a command looks at its parameters.
test.each(Object.entries(recordedCommands))('%s has an entry', async (name, parameters) => {
  await run(name, parameters);
  const recorded = recordedIn(variables.DATA_DIR!);
  // The entry of a failure follows that of the start.
  expect(recorded.at(-1)).toBe(name);
});

test.each(Object.entries(unrecordedCommands))('%s has none', async (name, parameters) => {
  const before = recordedIn(variables.DATA_DIR!);
  await run(name, parameters);
  expect(recordedIn(variables.DATA_DIR!)).toEqual(before);
});

test('keys wrap has an entry where the file is wrapped already', async () => {
  const kms = await startTransitServer();
  writeFileSync(path('token'), [...kms.tokens][0]!, { mode: 0o600 });
  copyFileSync(path('keys'), path('wrapped'));
  const more = { KEY_FILE: path('wrapped'), KMS_URL: kms.url, KMS_TOKEN_FILE: path('token') };
  await run('keys wrap', [path('wrapped')], more);
  const before = recordedIn(variables.DATA_DIR!).length;
  await run('keys wrap', [path('wrapped')], more);
  await kms.close();
  expect(recordedIn(variables.DATA_DIR!).slice(before)).toEqual(['keys wrap']);
});

test('migrate reports where its entry cannot be stored, and migrates', async () => {
  await triglyph(['keys', 'create', 'strange'], folder.path);
  const { code, stdout, stderr } = await run('migrate', [], { KEY_FILE: path('strange') });
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('nothing to do') });
  expect(stderr).toMatch(/^triglyph: the audit log does not have this: no wrapping key has the id /);
});

test('demo has an entry in its own store', async () => {
  const own = tempFolder();
  const server = await startServer('demo', own.path, {}, { parameters: ['--fresh'] });
  expect(await server.stop()).toBe(0);
  expect(recordedIn(join(own.path, 'data'))).toEqual(['demo']);
  own.discard();
});
