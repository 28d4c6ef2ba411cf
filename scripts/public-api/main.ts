/**
 * Generates docs/api.md from the declarations of the package: `npm run api`. With a folder of declarations it prints the
 * page. Fails on an exported name without a comment, and on a name in a signature that is not exported.
 */
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readDeclarations } from './declarations.ts';
import { printPage } from './page.ts';

const root = join(import.meta.dirname, '../..');
const [given] = process.argv.slice(2);

const { entries, faults } = readDeclarations(given ?? emitDeclarations());
for (const fault of faults) process.stderr.write(`${fault}\n`);
if (faults.length > 0) process.exitCode = 1;
else if (given === undefined) writeFileSync(join(root, 'docs/api.md'), printPage(entries));
else process.stdout.write(printPage(entries));

function emitDeclarations(): string {
  const folder = join(root, '.cache/declarations');
  rmSync(folder, { recursive: true, force: true });
  const options = ['-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--outDir', folder];
  const { status } = spawnSync(join(root, 'node_modules/.bin/tsc'), options, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
  return folder;
}
