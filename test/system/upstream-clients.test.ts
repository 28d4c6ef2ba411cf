/** Third-party SOAP clients call a server that speaks JSON only, through `triglyph serve --upstream`. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { runClient } from '../interop/run-client.ts';
import { isVersion1 } from '../interop/stack.ts';
import { lightStacks } from '../interop/stacks.ts';
import { type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
const program = join(import.meta.dirname, '../../examples/json-server/server.mjs');
let jsonServer: ChildProcess;
let server: Server;
beforeAll(async () => {
  jsonServer = spawn(process.execPath, [program, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(jsonServer.stdout!, 'data');
  const [url] = /http:\S+/.exec(String(line))!;
  server = await startServer('serve', folder.path, { LOG_LEVEL: 'info' }, { parameters: ['--upstream', url] });
});
afterAll(async () => {
  await server.stop();
  const exited = once(jsonServer, 'exit');
  jsonServer.kill();
  await exited;
  folder.discard();
});

const cases = lightStacks.flatMap((stack) =>
  // Those of version 1 call operations that the upstream has not.
  stack.runs
    .filter((run) => !isVersion1(run))
    .map((run) => [`${stack.title}, ${run.document}, SOAP ${run.variant}`, stack, run] as const),
);

test.each(cases)('%s', async (_, stack, run) => {
  const place = join(folder.path, `${stack.name}-${run.document}-${run.variant}`);
  const outcome = await runClient(stack, run, server.callers, place);
  expect(outcome.failure ?? outcome.mismatches).toEqual([]);
});

test.each([{}, { 'Idempotency-Key': 'older-1' }])('what only version 1 has is refused: %j', async (key) => {
  const response = await fetch(`${server.callers}/pal/servlet/Recurring/v1/deactivateRecurring`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Basic ${btoa('demo:demo')}`, ...key },
    body: '{"merchantAccount":"DemoMerchant","shopperReference":"shopper-1"}',
  });
  expect(await response.json()).toMatchObject({ status: 404, message: expect.stringContaining('Operation not found') });
});
