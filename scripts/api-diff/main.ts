/**
 * Compares the API documents with those of a git revision and fails on a breaking change.
 * Usage: npm run api-diff -- [revision]; without a revision, the last commit.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { breakingChanges, type Documents } from './breaking-changes.ts';

const root = join(import.meta.dirname, '../..');
const maxBuffer = 1 << 28;
function documentsOf(revision: string): Documents {
  const folder = mkdtempSync(join(tmpdir(), 'api-diff-'));
  try {
    execFileSync('sh', ['-c', 'git archive "$0" | tar -x -C "$1"', revision, folder], { cwd: root });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    return documentsIn(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The committed documents of a checkout, and the document of the console, which its sources derive. */
function documentsIn(folder: string): Documents {
  const paths = globSync(['openapi*.json', 'wsdl/*'], { cwd: folder });
  const documents = new Map(paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
  const deriver = join(folder, 'scripts/api-diff/console.ts');
  if (existsSync(deriver))
    documents.set('openapi-console.json', execFileSync(process.execPath, [deriver], { encoding: 'utf8', maxBuffer }));
  return documents;
}

const revision = process.argv[2] ?? 'HEAD';
const before = documentsOf(revision);
// A revision without documents would pass any change.
if (before.size === 0) throw new Error(`${revision} has no openapi*.json and no wsdl/ to compare with`);
const changes = breakingChanges(before, documentsIn(root));
for (const change of changes) process.stdout.write(`${change}\n`);
process.stdout.write(`${before.size} documents of ${revision} compared, ${changes.length} breaking changes\n`);
if (changes.length > 0) process.exitCode = 1;
