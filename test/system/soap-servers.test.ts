/** One command in front of the SOAP servers of several stacks, called in each format. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { casesOf, differenceOf, formats } from '../interop/depot-calls.ts';
import { type Depot, startDepot } from '../interop/depot-server.ts';
import { lightServers } from '../interop/depot-stacks.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
afterAll(() => folder.discard());

describe.each(lightServers.map((stack) => [stack.title, stack] as const))('%s', (title, stack) => {
  let depot: Depot;
  beforeAll(async () => {
    depot = await startDepot(stack, join(folder.path, title));
  });
  afterAll(() => depot.stop());

  const runs = formats.flatMap((format) => casesOf(format, stack).map((each) => [format, each.title, each] as const));
  test.each(runs)('%s: %s', async (format, _, each) => {
    expect(await differenceOf(depot.address, format, each)).toBeUndefined();
  });
});

test('a server that answers wrongly differs in each case and format: a control', async () => {
  const stack = lightServers.find(({ name }) => name === 'node')!;
  const depot = await startDepot(stack, join(folder.path, 'control'), { WRONG: '1' });
  const alike: string[] = [];
  for (const format of formats)
    for (const each of casesOf(format, stack))
      if ((await differenceOf(depot.address, format, each)) === undefined) alike.push(`${format}: ${each.title}`);
  await depot.stop();
  // The gateway answers this one itself. The notes, which come later, show that the server has lost it.
  expect(alike).toEqual(formats.map((format) => `${format}: an operation without an answer`));
});
