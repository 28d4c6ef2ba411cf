/** Follows docs/mock.md: starts its mocks, runs its commands, and compares what they print with what the page shows. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { comparable } from '../interop/page.ts';
import { followGuide, readGuide } from '../support/guide-pages.ts';
import { type Mock, startMock } from '../support/mock.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
let mock: Mock | undefined;
afterAll(async () => {
  await mock?.stop();
  folder.discard();
});

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
    await mock?.stop();
    mock = await startMock(folder.path, blocks[at]!.text.trim().split(' ').slice(2));
    const { callers, admin } = mock;
    expect(mock.received.stdout.replaceAll(callers, 'http://127.0.0.1:8080')).toContain(blocks[at + 1]!.text);
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
