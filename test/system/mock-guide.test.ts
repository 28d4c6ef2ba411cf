/** Follows docs/mock.md: starts its mocks, runs its commands, and compares what they print with what the page shows. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { comparable } from '../interop/page.ts';
import { type Started, startTriglyph } from '../support/commands.ts';
import { followGuide, readGuide } from '../support/guide-pages.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const folder = tempFolder();
let mock: Started | undefined;
afterAll(async () => {
  await stop();
  folder.discard();
});

async function stop(): Promise<void> {
  mock?.child.kill('SIGTERM');
  if (mock !== undefined) expect(await mock.over).toBe(0);
  mock = undefined;
}

async function start(command: string): Promise<{ readonly callers: string; readonly admin: string }> {
  await stop();
  const started = startTriglyph(command.trim().split(' ').slice(1), folder.path, {});
  mock = started;
  const ready = /The mock is ready: callers at (\S+), admin at (\S+?)\. /;
  await until(
    () => started.received,
    () => ready.test(started.received.stdout),
  );
  const [, callers = '', admin = ''] = ready.exec(started.received.stdout) ?? [];
  return { callers, admin };
}

test('every command prints what the page shows', async () => {
  mkdirSync(folder.path, { recursive: true });
  copyFileSync(join(import.meta.dirname, '../../examples/mock/orders.wsdl'), join(folder.path, 'orders.wsdl'));
  const blocks = readGuide('mock');
  const starts = blocks.flatMap(({ kind, text }, at) =>
    kind === 'command' && text.startsWith('triglyph mock') ? at : [],
  );
  expect(starts).toHaveLength(2);
  let steps = 0;
  for (const [index, at] of starts.entries()) {
    // What the second mock reads stands before it.
    if (index > 0)
      await followGuide(
        blocks.slice(starts[index - 1]! + 2, at).filter(({ kind }) => kind === 'file'),
        '',
        folder.path,
      );
    const { callers, admin } = await start(blocks[at]!.text);
    expect(mock?.received.stdout.replaceAll(callers, 'http://127.0.0.1:8080')).toContain(blocks[at + 1]!.text);
    const own = blocks
      .slice(at + 2, starts[index + 1])
      .map((block) => ({ ...block, text: block.text.replaceAll('http://127.0.0.1:9090', admin) }));
    for (const { command, printed, expected } of await followGuide(own, callers, folder.path)) {
      steps += 1;
      expect({ command, printed: comparable(printed) }).toEqual({ command, printed: comparable(expected ?? '') });
    }
  }
  expect(steps).toBe(6);
});
