/** One command in front of the JSON servers of several stacks, called in each format. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { formats } from '../interop/depot-calls.ts';
import { type LiveServer, startLive } from '../interop/live-server.ts';
import { checksOf } from '../interop/run-servers.ts';
import * as calls from '../interop/shop-calls.ts';
import { lightShops, shop } from '../interop/shop-stacks.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
afterAll(() => folder.discard());

describe.each(lightShops.map((stack) => [stack.title, stack] as const))('%s', (title, stack) => {
  let live: LiveServer;
  beforeAll(async () => {
    live = await startLive(shop, stack, join(folder.path, title));
  });
  afterAll(() => live.stop());

  const checks = checksOf(stack, calls).map((each) => [each.title, each] as const);
  test.each(checks)('%s', async (_, check) => {
    expect(await check.difference(live)).toBeUndefined();
  });
});

test('a server that answers wrongly differs in each case and format: a control', async () => {
  const stack = lightShops.find(({ name }) => name === 'koa')!;
  const live = await startLive(shop, stack, join(folder.path, 'control'), { WRONG: '1' });
  const alike: string[] = [];
  for (const { title, difference } of checksOf(stack, calls))
    if ((await difference(live)) === undefined) alike.push(title);
  await live.stop();
  // Where an answer has no members, the status is all that says it, and only JSON has it.
  const others = formats.filter((format) => format !== 'JSON');
  expect(alike).toEqual(others.map((format) => `${format}: an operation without an answer`));
});
