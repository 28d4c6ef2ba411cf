/** Counts the lines of the folders of the console: a view with its contract, handlers and page stays small enough to be read at once. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '../../src/console');
const linesMax = 800;
/** What all views share. */
const shared = ['page', 'session'];

function linesOf(folder: string): number {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => /\.(tsx?|css)$/.test(file))
    .reduce((sum, file) => sum + readFileSync(join(root, folder, file), 'utf8').split('\n').length - 1, 0);
}

test(`no folder of a view has more than ${linesMax} lines`, () => {
  const folders = readdirSync(root, { withFileTypes: true }).filter((each) => each.isDirectory());
  const views = folders.map(({ name }) => name).filter((name) => !shared.includes(name));
  expect(views).toEqual(expect.arrayContaining(['explorer', 'traffic', 'callers', 'state']));
  expect(views.filter((name) => linesOf(name) > linesMax)).toEqual([]);
  // The control: the frame of the page has more.
  expect(linesOf('page')).toBeGreaterThan(linesMax);
});
