/** After an install: bundles the program and fills its compile cache, so that the first start is as fast as later ones. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

// npm runs this with the Node that it has installed; an older one, which cannot read the sources, has nothing to fill.
if (Number(process.versions.node.split('.')[0]) >= 24) {
  const program = join(import.meta.dirname, '../bin/triglyph.mjs');
  // Without the development packages nothing is bundled, and the cache of the sources is filled. A server has flags and a cache of its own.
  for (const parameters of [['--help'], ['serve', '--help']])
    spawnSync(process.execPath, [program, ...parameters], { stdio: 'ignore' });
}
