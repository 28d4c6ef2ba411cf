/** Tests `triglyph compact`: it prints sizes, and works beside a server. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { triglyph, type Variables } from '../support/commands.ts';
import { type Production, prepareProduction, type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
let production: Production;
let server: Server | undefined;
beforeAll(async () => {
  production = await prepareProduction(folder.path);
});
afterAll(async () => {
  await server?.kill();
  folder.discard();
});

const compact = (parameters: readonly string[] = [], also: Variables = {}) =>
  triglyph(['compact', ...parameters], folder.path, { ...production.variables, ...also });
const path = () => join(production.variables.DATA_DIR!, 'triglyph.db');
const change = (text: string): void => {
  const database = new DatabaseSync(path());
  database.exec(text);
  database.close();
};
const mebibytes = 4;
/** Leaves so many of free pages. */
const leaveFreePages = (): void =>
  change(`create table filling (a); insert into filling values (zeroblob(${mebibytes * 2 ** 20})); drop table filling`);

test('beside a server, it gives free pages back to the disk', async () => {
  leaveFreePages();
  server = await startServer('serve', folder.path, production.variables);
  const before = statSync(path()).size;
  const { code, stdout, stderr } = await compact(['--json']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const result = JSON.parse(stdout);
  expect(result).toMatchObject({ dataDir: production.variables.DATA_DIR, complete: true });
  expect(result.bytesBefore - result.bytesAfter).toBeGreaterThan((mebibytes - 1) * 2 ** 20);
  expect(before - statSync(path()).size).toBeGreaterThan((mebibytes - 1) * 2 ** 20);
  expect(await server.stop()).toBe(0);
});

test('for PostgreSQL it says what to do instead', async () => {
  const { code, stderr } = await compact([], { DATABASE_URL: 'postgres://user:password@127.0.0.1:1/none' });
  expect(code).toBe(1);
  expect(stderr).toContain('`vacuum full <table>`');
});
