/** Fills the compile cache after an install, and builds the page of the console, so that the first start is as fast as later ones. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

// npm runs this with the Node that it has installed; an older one, which cannot read the sources, has nothing to fill.
if (Number(process.versions.node.split('.')[0]) >= 24) {
  spawnSync(process.execPath, [join(import.meta.dirname, '../bin/triglyph.mjs'), '--help'], { stdio: 'ignore' });
  // Without the development packages nothing can build it.
  spawnSync(process.execPath, [join(import.meta.dirname, 'console-page.mjs')], { stdio: 'ignore' });
}
