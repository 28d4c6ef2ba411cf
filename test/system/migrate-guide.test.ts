/** Runs the commands of docs/migrate.md, from the first recording in front of a PHP server to SOAP off in front of a JSON server. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { settings } from '../../src/config/settings.ts';
import type { Block } from '../interop/page.ts';
import { followGuide, readGuide } from '../support/guide-pages.ts';
import { freePort } from '../support/listen-locally.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
afterAll(() => {
  for (const name of ['gateway.pid', 'old-server.pid', 'new-server.pid']) endProcess(join(folder.path, name));
  folder.discard();
});

test('every command prints what the page shows', async () => {
  const [port = 0, adminPort = 0, newPort = 0, oldPort = 0] = await Promise.all([
    freePort(),
    freePort(),
    freePort(),
    freePort(),
  ]);
  const ports = {
    [String(settings.port.default)]: port,
    [String(settings.adminPort.default)]: adminPort,
    '8081': newPort,
    '8082': oldPort,
  };
  const blocks = readGuide('migrate').map((block): Block => ({ ...block, text: withPorts(block.text, ports) }));
  const env = { PORT: String(port), ADMIN_PORT: String(adminPort) };
  const steps = await followGuide(blocks, `http://127.0.0.1:${port}`, folder.path, env);
  expect(steps.filter(({ expected }) => expected !== undefined)).toHaveLength(13);
  for (const { printed, expected } of steps)
    if (expected !== undefined) expect(comparable(printed)).toBe(comparable(expected));
});

function withPorts(text: string, ports: Readonly<Record<string, number>>): string {
  return text.replace(/(?<=127\.0\.0\.1:|listen\()(8080|8081|8082|9090)\b/g, (port) => String(ports[port]));
}

/** Machines have different versions of PHP, servers different references, and the WSDL grows. */
function comparable(text: string): string {
  return text
    .trim()
    .replace(/PHP-SOAP\/[\d.]+/, 'PHP-SOAP')
    .replace(/service\.wsdl:\d+:\d+/, 'service.wsdl')
    .replace(/"pspReference":"\d+"/, '"pspReference":"0"');
}

/** For a page that was not followed to its end. */
function endProcess(file: string): void {
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 'SIGKILL');
  } catch {
    // The page has ended it.
  }
}
