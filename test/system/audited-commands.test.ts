/** Tests that the audit log has an entry for every command, except for those that docs/audit.md names with a reason. */
import { copyFileSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Command } from 'commander';
import { triglyph, type Variables } from '../support/commands.ts';
import { prepareProduction, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { startTransitServer } from '../support/transit-server.ts';

const root = join(import.meta.dirname, '../..');
const program = new Command('triglyph');
for (const file of globSync('src/cli/*.ts', { cwd: root })) {
  const module = (await import(join(root, file))) as { add?: (program: Command) => void };
  module.add?.(program);
}
const commands = commandsOf(program);

/** Groups of commands have no options of their own. */
function commandsOf(parent: Command, before: readonly string[] = []): readonly string[] {
  return parent.commands.flatMap((each) => {
    const words = [...before, each.name()];
    const acts = each.commands.length === 0 || each.options.length > 0;
    return [...(acts ? [words.join(' ')] : []), ...commandsOf(each, words)];
  });
}

/** An entry is stored before a command looks at its parameters, so most of these name nothing that exists. */
const parametersOf: Readonly<Record<string, readonly string[]>> = {
  'audit show': [],
  'audit verify': [],
  backup: ['backup.db'],
  callers: [],
  'callers owner list': [],
  'callers owner remove': ['cr_unknown'],
  'callers owner set': ['cr_unknown', '--name', 'Anna', '--address', 'anna@example.com'],
  'callers readiness': [],
  'callers show': ['0f1e2d3c4b5a6978'],
  compact: [],
  copy: ['--from', 'sqlite:./data', '--to', 'sqlite:./copied'],
  'credential add': ['Acme', '--account', 'AcmeWeb'],
  'credential balance-platform add': ['Acme', 'AcmePlatform'],
  'credential balance-platform list': [],
  'credential edit': ['cr_unknown', '--read-only'],
  'credential list': [],
  'credential merchant-account add': ['Acme', 'AcmeShop'],
  'credential merchant-account list': [],
  'credential revoke': ['cr_unknown'],
  'credential rotate': ['cr_unknown'],
  'credential second-factor recovery-codes': ['cr_unknown'],
  'credential second-factor remove': ['cr_unknown'],
  'credential second-factor set': ['cr_unknown'],
  'deprecations add': ['--format', 'form'],
  'deprecations change': ['dp_unknown', '--format', 'form'],
  'deprecations exempt': ['dp_unknown', 'cr_unknown'],
  'deprecations list': [],
  'deprecations remove': ['dp_unknown'],
  import: ['rows.jsonl'],
  'keys add': ['--standby', 'keys'],
  'keys rotate': [],
  'keys status': [],
  'keys use': ['keys', 'k-unknown'],
  'keys sign-rows': ['--unsigned'],
  'keys verify-rows': [],
  migrate: [],
  'pending list': [],
  'pending record': ['Acme', '--key-file', 'secret'],
  'pending settle': ['unknown', '--not-done'],
  'pending show': ['unknown'],
  'platform show': ['AcmePlatform'],
  report: [],
  restore: ['backup.db'],
  'retention apply': [],
  'retention show': [],
  'shadow accept': ['unknown', '--reason', 'x'],
  'shadow back': ['erp'],
  'shadow differences': [],
  'shadow list': [],
  'shadow reopen': ['unknown'],
  'shadow share': ['erp', '10'],
  'shadow switch': ['erp', '10'],
  'shopper erase': ['AcmeWeb', 'unknown'],
  'shopper show': ['AcmeWeb', 'unknown'],
  'updates answer': ['rows.jsonl'],
  'updates gather': [],
  'updates import': ['rows.jsonl'],
  'upstream credential list': [],
  'upstream credential remove': ['erp', 'cr_unknown'],
  'upstream credential set': ['erp', 'cr_unknown', '--kind', 'bearer', '--secret-file', 'secret'],
  'webhooks endpoint add': ['Acme', 'https://shop.example.com/webhooks'],
  'webhooks endpoint list': [],
  'webhooks endpoint remove': ['we_unknown'],
  'webhooks jobs': [],
  'webhooks list': [],
  'webhooks retry': ['dl_unknown'],
  'webhooks rotate': ['we_unknown'],
};
/** Recorded as well; their tests are below. */
const others = ['demo', 'keys wrap', 'replay'];
const unrecorded: Readonly<Record<string, readonly string[]>> = {
  check: [],
  convert: ['message.json', '--to', 'json'],
  'import-wsdl': ['rows.jsonl'],
  'keys create': ['other-keys'],
  mock: ['--wsdl', 'rows.jsonl'],
  openapi: [],
  'recording export': ['rows.jsonl', '--as', 'har', '--out', 'rows.har'],
  'recording import': ['rows.jsonl', '--out', 'recording.jsonl'],
  wsdl: [],
};

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
  const listed = [...Object.keys(parametersOf), ...others, ...Object.keys(unrecorded), 'serve'];
  expect(listed.toSorted()).toEqual(commands.toSorted());
  const page = readFileSync(join(root, 'docs/audit.md'), 'utf8');
  const [, section = ''] = /^## Commands without an entry$([\s\S]*?)^## /m.exec(page) ?? [];
  const named = [...section.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, names]) => names!.match(/[a-z][a-z -]+/g)!);
  expect(named.toSorted()).toEqual([...Object.keys(unrecorded), 'serve'].toSorted());
});

test.each(Object.entries(parametersOf))('%s has an entry', async (name, parameters) => {
  await run(name, parameters);
  const recorded = recordedIn(variables.DATA_DIR!);
  // The entry of a failure follows that of the start.
  expect(recorded.at(-1)).toBe(name);
});

test.each(Object.entries(unrecorded))('%s has none', async (name, parameters) => {
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
