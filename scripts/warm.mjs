/** After an install: bundles the program, fills its compile cache, so that the first start is as fast as later ones, and makes its command. */
import { spawnSync } from 'node:child_process';
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

// npm runs this with the Node that it has installed; an older one, which cannot read the sources, has nothing to fill.
if (Number(process.versions.node.split('.')[0]) >= 24) {
  const program = join(import.meta.dirname, '../bin/triglyph.mjs');
  // Without the development packages nothing is bundled, and the cache of the sources is filled. A server has flags and a cache of its own.
  for (const parameters of [['--help'], ['serve', '--help']])
    spawnSync(process.execPath, [program, ...parameters], { stdio: 'ignore' });
  // With this folder in PATH, a shell has the command and its Node. Links need rights on Windows.
  const command = join(import.meta.dirname, '../node_modules/.bin/triglyph');
  if (process.platform !== 'win32') {
    rmSync(command, { force: true });
    symlinkSync('../../bin/triglyph.mjs', command);
  }
}
