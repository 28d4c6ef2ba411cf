/** The memory of a gateway does not grow with the values that pass through it. */
import { Buffer } from 'node:buffer';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { request as send } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { forgetPeakMemory, memoryBytes } from '../../bench/server.ts';
import { findTestProgram } from '../support/bundled-programs.ts';
import { type FileBody, formOf, formType, sendFile, startFileServer } from '../support/large-own-paths.ts';
import {
  bytesOf,
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
import { isNightly } from '../support/nightly.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const megabyte = 1_048_576;
/** What a gateway may need for a value of any length, in MiB. */
const growthMax = 96;
/** In MiB. */
const longest = isNightly ? 256 : 64;
let server: EchoServer;

beforeAll(async () => {
  server = await startEchoServer();
});
afterAll(() => server.close());

async function forkGateway(name: string, parameters: readonly string[]): Promise<ChildProcess> {
  const { file, variables } = await findTestProgram(join(import.meta.dirname, '../support', name));
  return fork(file, parameters, { env: { ...process.env, ...variables } });
}

const start = (upstream: 'mtom' | 'soap', settings: Readonly<Record<string, string>>): Promise<ChildProcess> =>
  forkGateway('large-values-gateway.ts', [server.url, upstream, JSON.stringify(settings)]);

/** The largest resident size of a gateway during the second of two calls, beyond that before it, in MiB. */
async function growthOf(
  child: ChildProcess,
  callWith: (origin: string, length: number) => Promise<void>,
  length: number,
) {
  try {
    const [origin] = (await once(child, 'message')) as [string];
    const { pid = 0 } = child;
    // What is loaded and compiled with the first values is no growth.
    await callWith(origin, 8 * megabyte);
    const before = memoryBytes(pid, 'VmRSS');
    forgetPeakMemory(pid);
    await callWith(origin, length);
    return (memoryBytes(pid, 'VmHWM') - before) / megabyte;
  } finally {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }
}

/** Of a call with a value in both directions. */
async function growth(
  [form, upstream]: readonly [Form, 'mtom' | 'soap'],
  length: number,
  settings: Readonly<Record<string, string>> = {},
  optionsOf: (length: number) => CallOptions = () => ({}),
): Promise<number> {
  const callWith = async (origin: string, bytes: number) => {
    server.answer = { form: upstream, seed: 2, length: bytes };
    const answer = await call(origin, [form, 'echo'], [1, bytes], optionsOf(bytes));
    expect(answer).toMatchObject({ status: 200, ...digestOfSeed(2, bytes) });
  };
  return growthOf(await start(upstream, settings), callWith, length);
}

test.each([
  ['soap', 'mtom', 64],
  ['form', 'soap', 64],
  ['mtom', 'mtom', longest],
  ['json', 'soap', longest],
] as const)('%s to %s: %i MiB', async (form, upstream, megabytes) => {
  const grown = await growth([form, upstream], megabytes * megabyte);
  process.stdout.write(`${form} to ${upstream}, ${megabytes} MiB: ${Math.round(grown)} MiB\n`);
  expect(grown).toBeLessThan(growthMax);
});

test('a compressed request: 64 MiB', async () => {
  const compressed = (length: number) => {
    const body = gzipSync(Buffer.concat([...messageOf('json', 'echo', 1, length)]), { level: 1 });
    return { headers: { 'content-encoding': 'gzip' }, body: [body] };
  };
  const grown = await growth(['json', 'soap'], 64 * megabyte, {}, compressed);
  process.stdout.write(`compressed: ${Math.round(grown)} MiB\n`);
  expect(grown).toBeLessThan(growthMax);
});

/** Of a call at the path of an OpenAPI document. */
async function growthAtOwnPath(path: '/form' | '/blob', settings: Readonly<Record<string, string>> = {}) {
  let answer: FileBody = { contentType: '', pieces: [] };
  await using files = await startFileServer(() => answer);
  const callWith = async (origin: string, length: number) => {
    answer =
      path === '/blob'
        ? { contentType: 'application/octet-stream', pieces: bytesOf(2, length) }
        : { contentType: 'application/json', pieces: [Buffer.from('{"done":true}')] };
    const sent =
      path === '/blob'
        ? { ...answer, pieces: bytesOf(1, length) }
        : { contentType: formType, pieces: formOf(bytesOf(1, length)) };
    expect(await sendFile(`${origin}/api${path}`, sent)).toMatchObject({ status: 200 });
    expect(files.received.at(-1)!.length).toBeGreaterThanOrEqual(length);
  };
  return await growthOf(
    await forkGateway('large-own-paths-gateway.ts', [files.url, JSON.stringify(settings)]),
    callWith,
    64 * megabyte,
  );
}

test.each(['/form', '/blob'] as const)('at the own path %s: 64 MiB', async (path) => {
  const grown = await growthAtOwnPath(path);
  process.stdout.write(`at ${path}, 64 MiB: ${Math.round(grown)} MiB\n`);
  expect(grown).toBeLessThan(growthMax);
});

test('the control: the same values in memory need more', async () => {
  const settings = { SPOOL_BYTES_MAX: '0', BODY_BYTES_MAX: '134217728', LARGE_BODIES_BYTES_MAX: '268435456' };
  const grown = await growth(['json', 'soap'], 32 * megabyte, settings);
  process.stdout.write(`in memory: ${Math.round(grown)} MiB\n`);
  expect(grown).toBeGreaterThan(2 * growthMax);
});

test('the control: a form in memory needs more', async () => {
  const settings = { SPOOL_BYTES_MAX: '0', BODY_BYTES_MAX: '134217728', LARGE_BODIES_BYTES_MAX: '268435456' };
  const grown = await growthAtOwnPath('/form', settings);
  process.stdout.write(`a form in memory: ${Math.round(grown)} MiB\n`);
  expect(grown).toBeGreaterThan(2 * growthMax);
});

test('a gateway that is killed leaves nothing in the folder', async () => {
  const { path: folder, discard } = tempFolder();
  const child = await start('mtom', { SPOOL_DIR: folder });
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
