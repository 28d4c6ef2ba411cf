/**
 * Finds the bundle of the present sources, which starts in half their time, and builds it where it is missing: after an install, an edit
 * or another revision. As a program it builds.
 */
import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const cache = join(root, '.cache/program');

/** Servers of earlier revisions still load parts of these. Each has 6 MB. */
const earlierBundlesMax = 4;

/** Returns the folder of the bundle. Undefined where it cannot be built: without the bundler, or where nothing can be written. */
export function findBundle() {
  const folder = join(cache, stateOfSources());
  const isBuilt = () => existsSync(join(folder, 'dist/main.js'));
  // A process of its own builds, so that the bundler takes no memory of the server.
  if (!isBuilt() && canBuild())
    spawnSync(process.execPath, [import.meta.filename], { stdio: ['ignore', 'ignore', 'inherit'] });
  return isBuilt() ? folder : undefined;
}

function canBuild() {
  try {
    accessSync(
      [cache, join(root, '.cache'), root].find((each) => existsSync(each)),
      constants.W_OK,
    );
    return existsSync(join(root, 'node_modules/rolldown'));
  } catch {
    return false;
  }
}

/**
 * Names the state of what is bundled. Each change of a file sets its ctime, which no program can set to a time of before. The file in
 * node_modules is written by each change of the installed packages.
 */
function stateOfSources() {
  const others = ['package.json', 'node_modules/.package-lock.json', 'scripts/bundle.mjs', 'scripts/console-page.mjs'];
  const sources = readdirSync(`${root}/src`, { recursive: true }).map((name) => `src/${name}`);
  let state = '';
  for (const name of [...sources, ...others]) {
    const stats = statSync(`${root}/${name}`, { throwIfNoEntry: false });
    if (stats?.isDirectory() !== true) state += `${name} ${stats?.size} ${stats?.mtimeMs} ${stats?.ctimeMs}\n`;
  }
  return hash('sha256', state).slice(0, 16);
}

/** Processes may build at the same time. */
async function build() {
  const folder = join(cache, stateOfSources());
  mkdirSync(cache, { recursive: true });
  const draft = mkdtempSync(join(cache, 'draft-'));
  try {
    const { bundleProgram } = await import('./bundle.mjs');
    await bundleProgram(draft);
    // Servers may run as another user.
    chmodSync(draft, 0o755);
    if (!existsSync(folder)) renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  const builtAt = (name) => statSync(join(cache, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const earlier = readdirSync(cache).toSorted((a, b) => builtAt(b) - builtAt(a));
  for (const name of earlier.slice(1 + earlierBundlesMax)) rmSync(join(cache, name), { recursive: true, force: true });
}

if (import.meta.main) await build();
