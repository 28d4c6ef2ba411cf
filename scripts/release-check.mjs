/**
 * Makes everything of a release but the upload, in `.cache/release` or the folder of `--folder`: the package, the program of the image, the
 * software bill of materials and the notes. `--tag v1.2.3`: of the release, which the version and the changelog must name. `--package FILE`: a
 * package that was packed before.
 */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const root = join(import.meta.dirname, '..');
const { values: options } = parseArgs({
  options: {
    folder: { type: 'string', default: join(root, '.cache/release') },
    package: { type: 'string' },
    tag: { type: 'string' },
  },
});
const folder = resolve(options.folder);
const image = join(folder, 'image');
const read = (name) => readFileSync(join(root, name), 'utf8');
const { version, dependencies } = JSON.parse(read('package.json'));

try {
  const notes = findNotes();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'notes.md'), notes);
  pack();
  writeFileSync(join(folder, 'triglyph.cdx.json'), listMaterials(makeImage()));
  rmSync(image, { recursive: true });
  process.stdout.write(
    `${readdirSync(folder)
      .map((name) => join(folder, name))
      .join('\n')}\n`,
  );
} catch (thrown) {
  process.stderr.write(`${thrown.message}\n`);
  process.exitCode = 1;
}

/** What the changelog says of the version. */
function findNotes() {
  const { tag } = options;
  if (tag !== undefined && tag !== `v${version}`)
    throw new Error(`${tag} is not the version of package.json: v${version}`);
  const [title, ...lines] =
    read('CHANGELOG.md')
      .split(/^## /m)
      .find((each) => each.startsWith(version))
      ?.split('\n') ?? [];
  if (title === undefined) throw new Error(`CHANGELOG.md has no section of ${version}`);
  if (tag !== undefined && !/, \d{4}-\d\d-\d\d$/.test(title))
    throw new Error(`CHANGELOG.md gives ${version} no date: ${title}`);
  return `${lines.join('\n').trim()}\n`;
}

function pack() {
  if (options.package !== undefined) copyFileSync(options.package, join(folder, basename(options.package)));
  else {
    run('npm', ['run', '--silent', 'typecheck']);
    run('npm', ['pack', '--silent', '--pack-destination', folder]);
  }
  const expected = `triglyph-${version}.tgz`;
  if (!existsSync(join(folder, expected))) throw new Error(`${expected} was not packed`);
}

/** Follows the stages of the Dockerfile without Docker, each in a folder of its own. Returns these. */
function makeImage() {
  const stages = stagesOf(read('Dockerfile'));
  for (const { at, instructions } of stages) {
    mkdirSync(join(at, 'app'), { recursive: true });
    for (const [name, rest] of instructions) {
      if (name === 'COPY') copy(rest, at, stages);
      if (name === 'RUN') runInStage(rest, at);
    }
  }
  const { at, instructions } = stages.at(-1);
  if (existsSync(join(at, 'app/src'))) throw new Error('the image has sources');
  const [, command] = instructions.find(([name]) => name === 'CMD');
  const [program, ...parameters] = JSON.parse(command).with(-1, '--version');
  const printed = run(program, parameters, join(at, 'app')).trim();
  if (printed !== version) throw new Error(`the program of the image says ${printed}, and not ${version}`);
  return stages;
}

/** Each with its instructions: the word, and what follows it. */
function stagesOf(text) {
  const lines = text
    .replace(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter(Boolean);
  const stages = [];
  for (const [, name, rest] of lines.map((line) => /^(\w+) +(.*)$/.exec(line))) {
    if (name === 'FROM') {
      const stage = / AS (\w+)$/.exec(rest)?.[1] ?? 'image';
      stages.push({ name: stage, at: join(image, stage), instructions: [] });
    } else stages.at(-1).instructions.push([name, rest]);
  }
  return stages;
}

function copy(rest, at, stages) {
  const [, from, paths] = /^(?:--from=(\w+) )?(.*)$/.exec(rest);
  const [target, ...files] = paths.split(/ +/).reverse();
  // Exports to OpenTelemetry are optional.
  if (paths.includes('@opentelemetry')) return;
  const stage = stages.find(({ name }) => name === from)?.at ?? root;
  for (const file of files) {
    const place = join(at, target.startsWith('/') ? '' : 'app', target, target.endsWith('/') ? basename(file) : '');
    mkdirSync(dirname(place), { recursive: true });
    cpSync(join(stage, file), place, { recursive: true, verbatimSymlinks: true });
  }
}

/** Packages are those of the checkout. What does not concern the program is left out. */
function runInStage(command, at) {
  const modules = join(at, 'app/node_modules');
  if (command.startsWith('npm ci --omit=dev')) copyLibraries(modules);
  else if (command.startsWith('npm ci')) {
    symlinkSync(join(root, 'node_modules'), modules);
    mkdirSync(join(at, 'usr/local/bin'), { recursive: true });
    const [, afterwards] = command.split(' && ');
    run('sh', ['-c', afterwards.replaceAll('/usr/local/', `${at}/usr/local/`)], join(at, 'app'));
  } else if (command.startsWith('node ')) run('sh', ['-c', command.replaceAll('/app/', `${at}/app/`)], join(at, 'app'));
}

/** Those that the lock file needs without development, options and peers. */
function copyLibraries(modules) {
  const { packages } = JSON.parse(read('package-lock.json'));
  for (const [path, { dev, optional, devOptional, peer, link }] of Object.entries(packages))
    if (/^node_modules\/[^/]+(\/[^/]+)?$/.test(path) && !(dev || optional || devOptional || peer || link))
      cpSync(join(root, path), join(modules, path.slice('node_modules/'.length)), { recursive: true });
}

/** Of the libraries of the image, as CycloneDX. In the checkout npm leaves out those that development needs as well. */
function listMaterials(stages) {
  // npm takes the name of the folder for that of the program.
  const place = join(image, 'triglyph');
  renameSync(join(stages.find(({ name }) => name === 'dependencies').at, 'app'), place);
  const { devDependencies, optionalDependencies, peerDependencies, ...own } = JSON.parse(read('package.json'));
  writeFileSync(join(place, 'package.json'), JSON.stringify(own));
  rmSync(join(place, 'package-lock.json'));
  const text = run('npm', ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application'], place);
  const listed = new Set(JSON.parse(text).components.map(({ group, name }) => (group ? `${group}/${name}` : name)));
  const missing = Object.keys(dependencies).filter((name) => !listed.has(name));
  if (missing.length > 0) throw new Error(`the bill of materials lacks ${missing.join(', ')}`);
  return text;
}

/** Returns what the program prints. Throws with its errors if it fails. */
function run(program, parameters, cwd = root) {
  return execFileSync(program, parameters, { cwd, encoding: 'utf8', maxBuffer: 1 << 26 });
}
