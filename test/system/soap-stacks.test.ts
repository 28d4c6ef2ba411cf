/** Tests third-party SOAP clients, with the served WSDLs and with one of version 12; `npm run interop` runs those of more stacks. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { deprecatedConfig } from '../interop/deprecated.ts';
import { mismatches, readSeen } from '../interop/expected.ts';
import { runClient } from '../interop/run-client.ts';
import { runs } from '../interop/stack.ts';
import { lightStacks } from '../interop/stacks.ts';
import { type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
let server: Server;
/** Every call to it is deprecated, so that every answer has a header block. */
let deprecating: Server;
beforeAll(async () => {
  server = await startServer('demo', folder.path);
  const own = join(folder.path, 'deprecating');
  mkdirSync(own);
  writeFileSync(join(own, 'triglyph.config.json'), JSON.stringify(deprecatedConfig));
  deprecating = await startServer('demo', own);
});
afterAll(async () => {
  await server.stop();
  await deprecating.stop();
  folder.discard();
});

const cases = lightStacks.flatMap((stack) =>
  stack.runs.map((run) => [`${stack.title}, ${run.document}, SOAP ${run.variant}`, stack, run] as const),
);

test.each(cases)('%s', async (_, stack, run) => {
  const outcome = await runClient(
    stack,
    run,
    server.callers,
    join(folder.path, `${stack.name}-${run.document}-${run.variant}`),
  );
  expect(outcome.failure ?? outcome.mismatches).toEqual([]);
});

test.each(cases)('%s, with a header block in each answer', async (_, stack, run) => {
  const place = join(folder.path, `deprecated-${stack.name}-${run.document}-${run.variant}`);
  const outcome = await runClient(stack, run, deprecating.callers, place);
  expect(outcome.failure ?? outcome.mismatches).toEqual([]);
  const metrics = await (await fetch(`${deprecating.admin}/metrics`)).text();
  expect(metrics).toMatch(/triglyph_deprecated_requests_total\{protocol="soap11",kind="announced"\} [1-9]/);
});

test('strict stubs of version 1 fail at the members of version 12: a control', async () => {
  const zeep = lightStacks.find(({ name }) => name === 'zeep')!;
  const run = { ...runs.v1, path: '/pal/servlet/Recurring/v12' };
  const { failure } = await runClient(zeep, run, server.callers, join(folder.path, 'control'));
  expect(failure).toMatch(/Unexpected element|additionalData|rechargeReference/);
});

test('a client that prints nothing, or another value, is found', () => {
  const names = (stdout: string) => mismatches(readSeen(stdout), 'shopper').map(({ text }) => text);
  expect(names('')).toContain('store.result is missing, expected Success');
  expect(names('list.shopper=other\n')).toContain('list.shopper is "other", expected the shopper');
  expect(names('fault.contract=500 Server Error\n')).toContain(
    'fault.contract is "500 Server Error", expected validation 800 Contract not found',
  );
});
