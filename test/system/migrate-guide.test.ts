/** Runs the commands of docs/migrate.md, from the gateway in front of a JSON server to SOAP off. */
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { settings } from '../../src/config/settings.ts';
import type { Block } from '../interop/page.ts';
import { freePort } from '../support/free-port.ts';
import { followGuide, readGuide } from '../support/guide-pages.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
afterAll(() => {
  for (const name of ['gateway.pid', 'server.pid']) endProcess(join(folder.path, name));
  folder.discard();
});

test('every command prints what the page shows', async () => {
  const [port = 0, adminPort = 0, serverPort = 0] = await Promise.all([freePort(), freePort(), freePort()]);
  const ports = {
    [String(settings.port.default)]: port,
    [String(settings.adminPort.default)]: adminPort,
    '8081': serverPort,
  };
  symlinkSync(join(import.meta.dirname, '../../examples'), join(folder.path, 'examples'));
  const blocks = readGuide('migrate').map((block): Block => ({ ...block, text: withPorts(block.text, ports) }));
  const env = { PORT: String(port), ADMIN_PORT: String(adminPort) };
  const steps = await followGuide(blocks, `http://127.0.0.1:${port}`, folder.path, env);
  expect(steps.filter(({ expected }) => expected !== undefined)).toHaveLength(9);
  for (const { printed, expected } of steps)
    if (expected !== undefined) expect(comparable(printed)).toBe(comparable(expected));
});

function withPorts(text: string, ports: Readonly<Record<string, number>>): string {
  return text.replace(/(?<=127\.0\.0\.1:|--port )(8080|8081|9090)\b/g, (port) => String(ports[port]));
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
