/** Builds the package into dist/: JavaScript, declarations and source maps. */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');

rmSync(dist, { recursive: true, force: true });
const { status } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});
if (status !== 0) process.exit(1);

// The compiler leaves the extensions of the sources in declarations, where no consumer has those files.
for (const file of globSync('**/*.d.ts', { cwd: dist })) {
  const path = join(dist, file);
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/((?:from |import\()['"]\.[^'"]*)\.ts(?=['"])/g, '$1.js'));
}
