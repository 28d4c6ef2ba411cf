/** One command in front of the SOAP servers of several stacks, called in each format. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as calls from '../interop/depot-calls.ts';
import { depot, lightServers } from '../interop/depot-stacks.ts';
import { type LiveServer, startLive } from '../interop/live-server.ts';
import { checksOf } from '../interop/run-servers.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
afterAll(() => folder.discard());

describe.each(lightServers.map((stack) => [stack.title, stack] as const))('%s', (title, stack) => {
  let live: LiveServer;
  beforeAll(async () => {
    live = await startLive(depot, stack, join(folder.path, title));
  });
  afterAll(() => live.stop());

  const checks = checksOf(stack, calls).map((each) => [each.title, each] as const);
  test.each(checks)('%s', async (_, check) => {
    expect(await check.difference(live)).toBeUndefined();
  });
});

test('a server that answers wrongly differs in each case and format: a control', async () => {
  const stack = lightServers.find(({ name }) => name === 'node')!;
  const live = await startLive(depot, stack, join(folder.path, 'control'), { WRONG: '1' });
  const alike: string[] = [];
  for (const { title, difference } of checksOf(stack, calls))
    if ((await difference(live)) === undefined) alike.push(title);
  await live.stop();
  // The gateway answers this one itself. The notes, which come later, show that the server has lost it.
  expect(alike).toEqual(calls.formats.map((format) => `${format}: an operation without an answer`));
});
