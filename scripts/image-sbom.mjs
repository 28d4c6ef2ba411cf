/**
 * Prints the software bill of materials of the machine that it runs on, such as a container, as CycloneDX 1.6: the packages of Debian, those
 * of npm in every folder, and Node. Another root than `/` may be given.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';

const [root = '/'] = process.argv.slice(2);

/** Not part of an image, or without end. */
const skipped = new Set(['proc', 'sys', 'dev', 'tmp', 'run'].map((name) => join(root, name)));

const components = [nodeComponent(), ...debianPackages(), ...npmPackages(root)];
const unique = [...new Map(components.map((each) => [each['bom-ref'], each])).values()];
const sorted = unique.toSorted((one, other) => (one['bom-ref'] < other['bom-ref'] ? -1 : 1));
process.stdout.write(
  `${JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components: sorted }, null, 2)}\n`,
);

function nodeComponent() {
  return component('application', 'node', process.versions.node, `pkg:generic/node@${process.versions.node}`);
}

/** Of the database of dpkg, and of the files that images without dpkg have instead. */
function debianPackages() {
  const status = join(root, 'var/lib/dpkg/status');
  const folder = join(root, 'var/lib/dpkg/status.d');
  const more = existsSync(folder) ? readdirSync(folder).filter((name) => !name.endsWith('.md5sums')) : [];
  const files = [...(existsSync(status) ? [status] : []), ...more.map((name) => join(folder, name))];
  return files
    .flatMap((file) => readFileSync(file, 'utf8').split(/\n{2,}/))
    .map((entry) =>
      Object.fromEntries([...entry.matchAll(/^([\w-]+): (.*)$/gm)].map(([, name, value]) => [name, value])),
    )
    .filter(
      ({ Package: name, Version: version, Status: status = 'installed' }) =>
        name && version && / ?installed$/.test(status),
    )
    .map(({ Package: name, Version: version, Architecture: architecture }) =>
      component('library', name, version, `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}`),
    );
}

/** Of every folder `node_modules`, also those of npm itself. */
function npmPackages(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory() || skipped.has(path)) return [];
    return [...(isPackage(path) ? npmPackage(path) : []), ...npmPackages(path)];
  });
}

function isPackage(path) {
  const [parent, grandparent] = relative(root, path).split('/').slice(0, -1).reverse();
  return parent === 'node_modules' || (grandparent === 'node_modules' && parent?.startsWith('@'));
}

function npmPackage(path) {
  const file = join(path, 'package.json');
  if (basename(path).startsWith('@') || !existsSync(file)) return [];
  const { name, version } = JSON.parse(readFileSync(file, 'utf8'));
  return name && version ? [component('library', name, version, `pkg:npm/${name.replace('@', '%40')}@${version}`)] : [];
}

function component(type, name, version, purl) {
  return { type, 'bom-ref': purl, name, version, purl };
}
