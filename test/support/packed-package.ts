/** The package as users install it: packed, unpacked, and with its dependencies next to it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { preparedOncePerRun } from './once-per-run.ts';

const root = join(import.meta.dirname, '../..');
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { dependencies: object };

export interface PackedPackage {
  /** The tarball. */
  readonly file: string;
  /** What is in it. */
  readonly folder: string;
}

/** Builds and packs the package once per run. */
export async function packPackage(): Promise<PackedPackage> {
  const folder = await preparedOncePerRun('package', async (part) => {
    execFileSync('npm', ['pack', '--pack-destination', part], { cwd: root, stdio: 'ignore' });
    execFileSync('tar', ['-xzf', tarballIn(part), '-C', part]);
  });
  return { file: tarballIn(folder), folder: join(folder, 'package') };
}

function tarballIn(folder: string): string {
  return join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz'))!);
}

/**
 * Installs the package into a folder, without the network: its dependencies are links to those of the checkout. `others`:
 * further packages of the checkout.
 */
export function installPackage(packed: PackedPackage, folder: string, others: readonly string[] = []): void {
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  execFileSync('cp', ['-R', packed.folder, join(modules, 'triglyph')]);
  symlinkSync('../triglyph/bin/triglyph.mjs', join(modules, '.bin/triglyph'));
  for (const name of [...Object.keys(dependencies), ...others]) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
}
