/** Third-party SOAP clients call a server that speaks JSON only, through `triglyph serve --upstream`. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { runClient } from '../interop/run-client.ts';
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
  stack.runs.map((run) => [`${stack.title}, ${run.document}, SOAP ${run.variant}`, stack, run] as const),
);

test.each(cases)('%s', async (_, stack, run) => {
  const place = join(folder.path, `${stack.name}-${run.document}-${run.variant}`);
  const outcome = await runClient(stack, run, server.callers, place);
  expect(outcome.failure ?? outcome.mismatches).toEqual([]);
});
