/** Follows the pages of `docs/clients/` for the languages that the tests have; `npm run interop` follows all of them. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { comparable, followPage, readPage } from '../interop/page.ts';
import { type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const modules = join(import.meta.dirname, '../../node_modules');
const folder = tempFolder();
let server: Server;
beforeAll(async () => {
  server = await startServer('demo', folder.path);
});
afterAll(async () => {
  await server.stop();
  folder.discard();
});

test.each(['form', 'node', 'php', 'python'])('%s.md prints what it shows', async (name) => {
  const place = join(folder.path, name);
  mkdirSync(place);
  const steps = await followPage(readPage(name), server.callers, place, modules);
  expect(steps.length).toBeGreaterThan(2);
  for (const { printed, expected } of steps) {
    if (expected !== undefined) expect(comparable(printed)).toBe(comparable(expected));
  }
});
