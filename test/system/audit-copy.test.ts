/** Tests that a server copies every entry of the audit log, also those of commands that know no copy, and after it was killed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { triglyph } from '../support/commands.ts';
import { prepareProduction, type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const folder = tempFolder();
afterAll(() => folder.discard());
const copy = join(folder.path, 'audit.jsonl');

interface Line {
  readonly sequence: number;
  readonly subject: string;
  readonly mac: string;
}

function linesOf(text: string): readonly Line[] {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

function copied(): readonly Line[] {
  try {
    return linesOf(readFileSync(copy, 'utf8'));
  } catch {
    // There is no file yet.
    return [];
  }
}

test('commands without AUDIT_LOG are in the copy of the server, before its start, while it runs, and after a crash', async () => {
  const { variables } = await prepareProduction(folder.path);
  const run = (...parameters: readonly string[]) => triglyph(parameters, folder.path, variables);
  const serve = () => startServer('serve', folder.path, { ...variables, AUDIT_LOG: `file:${copy}` });
  const isCopied = (subject: string) => () => copied().some((line) => line.subject === subject);

  await run('webhooks', 'list');
  // Control: no process with a copy has run.
  expect(copied()).toEqual([]);
  let server: Server = await serve();
  await until('the command is copied', isCopied('webhooks list'));
  await run('credential', 'list');
  await until('the command is copied', isCopied('credential list'));
  await server.kill();
  await run('pending', 'list');
  expect(isCopied('pending list')()).toBe(false);
  server = await serve();
  await until('the command is copied', isCopied('pending list'));
  expect(await server.stop()).toBe(0);

  const { stdout } = await run('audit', 'show', '--json', '--max', '1000');
  const log = linesOf(stdout).filter(({ subject }) => subject !== 'audit show');
  const macs = new Map(copied().map(({ sequence, mac }) => [sequence, mac]));
  expect(log.map(({ sequence }) => [sequence, macs.get(sequence)])).toEqual(
    log.map(({ sequence, mac }) => [sequence, mac]),
  );
  expect((await run('audit', 'verify', '--copy', copy)).code).toBe(0);
});
