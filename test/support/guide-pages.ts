/** Follows a page of `docs/` as a newcomer does, with `triglyph` among the commands. */
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Block, followPage, readBlocks, type Step } from '../interop/page.ts';

const root = join(import.meta.dirname, '../..');
const modules = join(root, 'node_modules');

export function readGuide(name: string): readonly Block[] {
  return readBlocks(name, readFileSync(join(root, `docs/${name}.md`), 'utf8'));
}

/** `callers`: the address of a server that takes the place of the documented one. `env`: variables of the commands. */
export async function followGuide(
  blocks: readonly Block[],
  callers: string,
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<readonly Step[]> {
  const programs = join(folder, '.bin');
  mkdirSync(programs, { recursive: true });
  const node = `"${process.execPath}" --disable-warning=ExperimentalWarning`;
  writeFileSync(join(programs, 'triglyph'), `#!/bin/sh\nexec ${node} "${join(root, 'bin/triglyph.mjs')}" "$@"\n`);
  chmodSync(join(programs, 'triglyph'), 0o755);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  // A page may be followed in parts.
  if (!existsSync(join(folder, 'node_modules'))) symlinkSync(modules, join(folder, 'node_modules'));
  // A reader types the commands: servers do not end with the shell, as those of npm scripts do.
  delete process.env.npm_lifecycle_event;
  return followPage(blocks, callers, folder, modules, {
    PATH: `${programs}:${process.env.PATH}`,
    // Programs import the package by its name.
    ...env,
    NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import=${join(root, 'scripts/own-package.mjs')}`,
  });
}
