/** Runs the commands of docs/shadow.md: the differences of two servers, an acceptance, the switch and the way back. */
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { settings } from '../../src/config/settings.ts';
import type { Block } from '../interop/page.ts';
import { followGuide, readGuide } from '../support/guide-pages.ts';
import { freePort } from '../support/listen-locally.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
afterAll(() => {
  for (const name of ['gateway.pid', 'old.pid', 'new.pid']) endProcess(join(folder.path, name));
  folder.discard();
});

test('every command prints what the page shows', async () => {
  const [port = 0, adminPort = 0, old = 0, next = 0] = await Promise.all([
    freePort(),
    freePort(),
    freePort(),
    freePort(),
  ]);
  const ports: Readonly<Record<string, number>> = {
    [String(settings.port.default)]: port,
    [String(settings.adminPort.default)]: adminPort,
    '8081': old,
    '8082': next,
  };
  const withPorts = (text: string): string =>
    text.replace(/(?<=127\.0\.0\.1:|stock\.mjs )(8080|8081|8082|9090)\b/g, (each) => String(ports[each]));
  const blocks = readGuide('shadow').map((block): Block => ({ ...block, text: withPorts(block.text) }));
  const env = { PORT: String(port), ADMIN_PORT: String(adminPort) };
  const steps = await followGuide(blocks, `http://127.0.0.1:${port}`, folder.path, env);
  const shown = steps.filter(({ expected }) => expected !== undefined);
  expect(shown).toHaveLength(4);
  for (const { printed, expected } of shown) expect(comparable(printed)).toBe(comparable(expected!));
});

/** Ids are sorted among differences of one number, and users and times are those of the machine. */
function comparable(text: string): string {
  return text
    .replace(/^(?:DIFFERENCE-\d|[\w-]{16}) {2}/gm, '')
    .replace(/\d{4}-\d\d-\d\dT?\s?\d\d:\d\dZ?/g, 'TIME')
    .replaceAll(`user ${userInfo().username}:`, 'user USER:')
    .replace(/^(\S.*\n {2}.*)(?=\n\S)/gm, '$1')
    .split(/\n(?=\S)/)
    .sort()
    .join('\n')
    .trim();
}

/** For a page that was not followed to its end. */
function endProcess(file: string): void {
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 'SIGKILL');
  } catch {
    // The page has ended it.
  }
}
