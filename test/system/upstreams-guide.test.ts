/** Runs the programs of docs/upstreams.md as a reader would, and checks its configuration and its commands. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { triglyph } from '../support/commands.ts';
import { prepareProduction, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const guide = readFileSync(join(root, 'docs/upstreams.md'), 'utf8');

const files = [...guide.matchAll(/^```[jt]s (\S+)\n([\s\S]*?)\n```$/gm)].map(
  ([, name, code]) => [name!, code!] as const,
);
const [, printed = ''] = /^```text\n([\s\S]*?)\n```$/m.exec(guide) ?? [];
const [, configuration = ''] = /^```ts\n(import [\s\S]*?)\n```$/m.exec(guide) ?? [];

const folder = tempFolder();
beforeAll(() => {
  mkdirSync(folder.path, { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder.path, 'node_modules'));
  writeFileSync(join(folder.path, 'package.json'), '{"type":"module"}');
  for (const [name, code] of files) writeFileSync(join(folder.path, name), code);
});
afterAll(() => {
  rmSync(join(folder.path, 'node_modules'));
  folder.discard();
});

test('the guide has a server, a contract and a gateway', () => {
  expect(files.map(([name]) => name)).toEqual(['warehouse.mjs', 'contract.ts', 'gateway.ts']);
});

test('the gateway prints what the page shows', async () => {
  const hooks = join(root, 'scripts/own-package.mjs');
  const parameters = ['--disable-warning=ExperimentalWarning', '--import', hooks, 'gateway.ts'];
  const { stdout } = await run(process.execPath, parameters, { cwd: folder.path });
  expect(stdout.trim()).toBe(printed);
});

test('the configuration is served, checked, and found unreachable', async () => {
  const production = await prepareProduction(folder.path);
  writeFileSync(join(folder.path, 'triglyph.config.ts'), configuration.replaceAll('example.com', 'invalid'));
  const missing = await triglyph(['check'], folder.path, production.variables);
  expect(missing.code).toBe(1);
  expect(missing.stdout).toContain(
    '- triglyph.config.ts: upstreams.warehouse.credentials.apiKey.env names WAREHOUSE_KEY, which is not set.\n',
  );
  const variables = { ...production.variables, WAREHOUSE_KEY: 'not-to-be-printed' };
  const checked = await triglyph(['check', '--connect'], folder.path, variables);
  expect(checked.stdout).toContain('upstream warehouse  https://warehouse.invalid/api  (json, up to 64 connections;');
  expect(checked.stdout).toContain('  credentials  x-api-key: (hidden)  (from WAREHOUSE_KEY, environment)\n');
  expect(checked.stdout).toContain('  answers      Recurring.createPermit, Recurring.disablePermit, ');
  expect(checked.stdout).toContain('upstream erp cannot be reached: ');
  expect(checked.stdout).toContain('Nothing is wrong: `triglyph serve` will start.');
  expect(checked.stdout).not.toContain('not-to-be-printed');
  expect(checked.code).toBe(1);

  const server = await startServer('serve', folder.path, variables);
  const ready = await fetch(`${server.admin}/readyz`);
  expect({ status: ready.status, ...((await ready.json()) as object) }).toMatchObject({
    status: 200,
    probes: { 'upstream warehouse': 'ok', 'upstream erp': 'ok' },
  });
  expect(await server.stop()).toBe(0);
});
