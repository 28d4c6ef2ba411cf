/** Installs what the client stacks need: Debian packages into the machine, npm packages into a folder of their own. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Stack } from './stack.ts';

const prefix = join(import.meta.dirname, '../../.cache/interop');

export const modulesFolder = join(prefix, 'node_modules');

/** Returns the packages that could not be installed. */
export function install(sources: readonly Stack['source'][]): readonly string[] {
  const debian = sources.flatMap((source) => (source.kind === 'Debian' ? source.packages : []));
  const npm = sources.flatMap((source) => (source.kind === 'npm' ? source.packages : []));
  return [...installPackages(debian), ...installNpm([...new Set(npm)])];
}

export function debianVersion(name: string): string | undefined {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query reads the placeholders.
  const query = ['-W', '-f', '${db:Status-Status} ${Version}', name];
  const { stdout } = spawnSync('dpkg-query', query, { encoding: 'utf8' });
  const [status, version] = (stdout ?? '').split(' ');
  return status === 'installed' ? version : undefined;
}

/** Installs Debian packages; returns those that could not be installed. */
export function installPackages(names: readonly string[]): readonly string[] {
  const isMissing = (name: string) => debianVersion(name) === undefined;
  const missing = [...new Set(names)].filter(isMissing);
  if (missing.length === 0) return [];
  process.stdout.write(`Installing ${missing.join(' ')} by apt.\n`);
  const root = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  const apt = (...parameters: string[]) => {
    const [program, ...rest] = [...root, 'apt-get', ...parameters];
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    return spawnSync(program!, rest, { env, stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
  };
  const all = () => apt('install', '-y', '-q', '--no-install-recommends', ...missing);
  // The package lists may be missing or outdated.
  if (!all() && apt('update', '-q')) all();
  return missing.filter(isMissing);
}

/** Scripts of the packages are not run: none of them needs one. */
function installNpm(names: readonly string[]): readonly string[] {
  const missing = names.filter((name) => !isInstalled(name));
  if (missing.length === 0) return [];
  process.stdout.write(`Installing ${missing.join(' ')} by npm.\n`);
  mkdirSync(prefix, { recursive: true });
  const file = join(prefix, 'package.json');
  if (!existsSync(file)) writeFileSync(file, '{ "private": true }\n');
  const flags = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--save-exact', '--prefix', prefix];
  spawnSync('npm', [...flags, ...missing], { stdio: ['ignore', 'ignore', 'inherit'] });
  return missing.filter((name) => !isInstalled(name));
}

/** `name`: with its version, such as `strong-soap@6.0.1`. */
function isInstalled(name: string): boolean {
  const at = name.lastIndexOf('@');
  const { stdout } = spawnSync('npm', ['ls', '--json', '--prefix', prefix, name.slice(0, at)], { encoding: 'utf8' });
  try {
    return JSON.parse(stdout).dependencies?.[name.slice(0, at)]?.version === name.slice(at + 1);
  } catch {
    return false;
  }
}
