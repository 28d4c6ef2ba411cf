/** Runs the commands of docs/convert.md against a demo, and compares what they print with what the page shows. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { comparable } from '../interop/page.ts';
import { followGuide, readGuide } from '../support/guide-pages.ts';
import { type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const data = tempFolder();
const folder = tempFolder();
let server: Server;
beforeAll(async () => {
  server = await startServer('demo', data.path);
});
afterAll(async () => {
  await server.stop();
  data.discard();
  folder.discard();
});

test('every command prints what the page shows', async () => {
  const steps = await followGuide(readGuide('convert'), server.callers, folder.path);
  expect(steps).toHaveLength(7);
  for (const { printed, expected } of steps) {
    // Programs have the address that the test gave.
    const shown = printed.replaceAll(server.callers, 'http://127.0.0.1:8080');
    expect(comparable(shown)).toBe(comparable(expected ?? ''));
  }
});
