/** Follows docs/import-openapi.md: starts the mock and the gateway, runs its commands, and compares what they print with what the page shows. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { type Block, comparable } from '../interop/page.ts';
import { followGuide, readGuide } from '../support/guide-pages.ts';
import { startMock } from '../support/mock.ts';
import { serve } from '../support/serving-program.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const folder = tempFolder();
const started: { stop(): Promise<void> }[] = [];
afterAll(async () => {
  for (const each of started) await each.stop();
  folder.discard();
});

const blocks = readGuide('import-openapi');
const commandAt = (start: string): number =>
  blocks.findIndex(({ kind, text }) => kind === 'command' && text.startsWith(start));
const parametersOf = (at: number): readonly string[] => blocks[at]!.text.trim().split(' ').slice(2);

async function follow(own: readonly Block[], callers: string, place: string): Promise<number> {
  const steps = await followGuide(own, callers, place);
  for (const { command, printed, expected } of steps)
    expect({ command, printed: comparable(printed) }).toEqual({ command, printed: comparable(expected ?? '') });
  return steps.length;
}

test('the calls are answered as the page shows, and the saved project passes the check', async () => {
  mkdirSync(folder.path, { recursive: true });
  const mockAt = commandAt('triglyph mock --openapi books.yaml');
  const serveAt = commandAt('triglyph serve --openapi books.yaml\n');
  const saveAt = commandAt('triglyph serve --openapi books.yaml --save');
  const file = blocks.find((block) => block.kind === 'file' && block.name === 'books.yaml')!;
  writeFileSync(join(folder.path, 'books.yaml'), file.text);
  const [, document = ''] = parametersOf(mockAt);
  const mock = await startMock(folder.path, ['--openapi', document]);
  started.push(mock);
  const upstream = ['--upstream', mock.callers];

  const gateway = await serve([...parametersOf(serveAt), ...upstream], folder.path);
  started.unshift(gateway);
  const { callers, received } = gateway;
  await until('the calls', () => received.stderr.includes('SOAP:'));
  expect(received.stderr.replaceAll(callers, 'http://127.0.0.1:8080')).toContain(blocks[serveAt + 1]!.text);
  const end = blocks.findIndex(({ kind, text }, at) => at > serveAt && kind === 'command' && text.startsWith('php '));
  expect(await follow(blocks.slice(serveAt + 2, end + 2), callers, folder.path)).toBe(2);
  await gateway.stop();

  const saving = await serve([...parametersOf(saveAt), ...upstream], folder.path);
  await saving.stop();
  const saved = join(folder.path, 'gateway');
  const check = blocks
    .slice(saveAt + 1, saveAt + 3)
    .map((block) => ({ ...block, text: block.text.replaceAll('http://127.0.0.1:8081', mock.callers) }));
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(saved, 'node_modules'));
  expect(await follow(check, callers, folder.path)).toBe(1);
});

test('each command of the page is run by a test', () => {
  const others = blocks.flatMap(({ kind, text }) => (kind === 'command' && text.startsWith('triglyph ') ? [text] : []));
  expect(others.map((text) => text.split(' ').slice(0, 4).join(' ').trim())).toEqual([
    // The first one is a pattern of all others.
    'triglyph serve --openapi https://api.example/openapi.yaml',
    'triglyph mock --openapi books.yaml',
    'triglyph serve --openapi books.yaml',
    'triglyph serve --openapi books.yaml',
  ]);
});
