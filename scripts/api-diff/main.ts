/**
 * Compares the committed API documents with those of a git revision and fails on a breaking change.
 * Usage: npm run api-diff -- [revision]; without a revision, the last commit.
 */
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { breakingChanges, type Documents } from './breaking-changes.ts';

const root = join(import.meta.dirname, '../..');
const isDocument = (path: string): boolean => /^(openapi[^/]*\.json|wsdl\/[^/]+)$/.test(path);

function git(...parameters: readonly string[]): string {
  return execFileSync('git', parameters, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 });
}

function documentsOf(revision: string): Documents {
  const paths = git('ls-tree', '-r', '--name-only', revision).split('\n').filter(isDocument);
  return new Map(paths.map((path) => [path, git('show', `${revision}:${path}`)]));
}

function documentsHere(): Documents {
  const paths = globSync(['openapi*.json', 'wsdl/*'], { cwd: root });
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

const revision = process.argv[2] ?? 'HEAD';
const before = documentsOf(revision);
// A revision without documents would pass any change.
if (before.size === 0) throw new Error(`${revision} has no openapi*.json and no wsdl/ to compare with`);
const changes = breakingChanges(before, documentsHere());
for (const change of changes) process.stdout.write(`${change}\n`);
process.stdout.write(`${before.size} documents of ${revision} compared, ${changes.length} breaking changes\n`);
if (changes.length > 0) process.exitCode = 1;
