/** The memory of a gateway does not grow with the values that pass through it. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { request as send } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { forgetPeakMemory, memoryBytes } from '../../bench/server.ts';
import {
  type CallOptions,
  call,
  contentTypeOf,
  digestOfSeed,
  type EchoServer,
  type Form,
  messageOf,
  openFilesIn,
  startEchoServer,
} from '../support/large-values.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const megabyte = 1_048_576;
/** What a gateway may need for a value of any length, in MiB. */
const growthMax = 64;
let server: EchoServer;

beforeAll(async () => {
  server = await startEchoServer();
});
afterAll(() => server.close());

function start(upstream: 'mtom' | 'soap', settings: Readonly<Record<string, string>>): ChildProcess {
  const script = join(import.meta.dirname, '../support/large-values-gateway.ts');
  return fork(script, [server.url, upstream, JSON.stringify(settings)]);
}

/** The largest resident size of a gateway during a call with a value in both directions, beyond that before it, in MiB. */
async function growth(
  [form, upstream]: readonly [Form, 'mtom' | 'soap'],
  length: number,
  settings: Readonly<Record<string, string>> = {},
  options: CallOptions = {},
): Promise<number> {
  const child = start(upstream, settings);
  try {
    const [origin] = (await once(child, 'message')) as [string];
    const { pid = 0 } = child;
    // What is loaded and compiled with the first values is no growth.
    server.answer = { form: upstream, seed: 2, length: 8 * megabyte };
    await call(origin, [form, 'echo'], [1, 8 * megabyte]);
    server.answer = { form: upstream, seed: 2, length };
    const before = memoryBytes(pid, 'VmRSS');
    forgetPeakMemory(pid);
    const answer = await call(origin, [form, 'echo'], [1, length], options);
    expect(answer).toMatchObject({ status: 200, ...digestOfSeed(2, length) });
    return (memoryBytes(pid, 'VmHWM') - before) / megabyte;
  } finally {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }
}

test.each([
  ['soap', 'mtom', 64],
  ['form', 'soap', 64],
  ['mtom', 'mtom', 256],
  ['json', 'soap', 256],
] as const)('%s to %s: %i MiB', async (form, upstream, megabytes) => {
  const grown = await growth([form, upstream], megabytes * megabyte);
  process.stdout.write(`${form} to ${upstream}, ${megabytes} MiB: ${Math.round(grown)} MiB\n`);
  expect(grown).toBeLessThan(growthMax);
});

test('a compressed request: 64 MiB', async () => {
  const length = 64 * megabyte;
  const body = gzipSync(Buffer.concat([...messageOf('json', 'echo', 1, length)]), { level: 1 });
  const compressed = { headers: { 'content-encoding': 'gzip' }, body: [body] };
  const grown = await growth(['json', 'soap'], length, {}, compressed);
  process.stdout.write(`compressed: ${Math.round(grown)} MiB\n`);
  expect(grown).toBeLessThan(growthMax);
});

test('the control: the same values in memory need more', async () => {
  const settings = { SPOOL_BYTES_MAX: '0', BODY_BYTES_MAX: '134217728', LARGE_BODIES_BYTES_MAX: '268435456' };
  const grown = await growth(['json', 'soap'], 64 * megabyte, settings);
  process.stdout.write(`in memory: ${Math.round(grown)} MiB\n`);
  expect(grown).toBeGreaterThan(2 * growthMax);
});

test('a gateway that is killed leaves nothing in the folder', async () => {
  const { path: folder, discard } = tempFolder();
  const child = start('mtom', { SPOOL_DIR: folder });
  const [origin] = (await once(child, 'message')) as [string];
  const outgoing = send(`${origin}/files/v1`, { method: 'POST', headers: { 'content-type': contentTypeOf('mtom') } });
  outgoing.on('error', () => {});
  for (const piece of messageOf('mtom', 'echo', 1, 2 * megabyte)) outgoing.write(piece);
  await until('a value is in a file', () => openFilesIn(folder, child.pid) === 1);
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
  outgoing.destroy();
  expect(readdirSync(folder)).toEqual([]);
  discard();
});
