/**
 * Builds the page of the console: JavaScript and styles with hashed names, compressed. As a program it builds into the folder
 * that it is given, or into the cache of the checkout, once for each state of the sources, and prints the folder.
 */
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { documentFiles, renderDocuments } from './console-docs.mjs';

const root = join(import.meta.dirname, '..');
const page = join(root, 'src/console/page');

/** Builds into the folder, which is replaced. */
export async function buildConsolePage(folder) {
  rmSync(folder, { recursive: true, force: true });
  const scripts = await bundleScripts();
  const style = { name: hashedName('styles', 'css', readStyles()), text: readStyles() };
  const icon = readFileSync(join(page, 'icon.svg'), 'utf8');
  const iconName = hashedName('icon', 'svg', icon);
  const entry = scripts.find(({ isEntry }) => isEntry);
  const documents = await buildDocuments();
  const document = readFileSync(join(page, 'index.html'), 'utf8')
    .replace('{documents}', `/console/${documents.index}`)
    .replace('{script}', `/console/${entry.fileName}`)
    .replace('{styles}', `/console/${style.name}`)
    .replace('{icon}', `/console/${iconName}`);
  const files = [
    { name: 'index.html', type: 'text/html; charset=utf-8', text: document },
    { name: style.name, type: 'text/css; charset=utf-8', text: style.text },
    { name: iconName, type: 'image/svg+xml', text: icon },
    ...scripts.map(({ fileName, code }) => ({ name: fileName, type: 'text/javascript; charset=utf-8', text: code })),
    ...documents.files,
  ];
  const manifest = {};
  for (const { name, type, text, encodings = ['br', 'gzip'] } of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    // Without the plain text, which the gateway has from the other: the package is smaller by a third of the page.
    if (encodings.includes('br'))
      writeFileSync(join(folder, `${name}.br`), brotliCompressSync(text, { params: brotliParameters }));
    writeFileSync(join(folder, `${name}.gzip`), gzipSync(text, { level: 9 }));
    manifest[name] = { type, encodings };
  }
  // Last: a folder with a manifest is complete.
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ files: manifest }));
}

/**
 * The pages of the documentation, each a file, and their index. Those about the built-in services are in an index of their own, which the
 * other one names. They are read one at a time, so one encoding is enough.
 */
async function buildDocuments() {
  const rendered = await renderDocuments();
  const file = (name, value) => {
    const text = JSON.stringify(value);
    return {
      name: hashedName(`docs/${name.replaceAll('/', '-')}`, 'json', text),
      type: 'application/json; charset=utf-8',
      text,
      encodings: ['gzip'],
    };
  };
  const pages = rendered.map(({ tree, isBuiltIn, ...page }) => ({ page, isBuiltIn, file: file(page.name, tree) }));
  const listed = (wanted) =>
    pages
      .filter(({ isBuiltIn }) => isBuiltIn === wanted)
      .map(({ page, file: { name } }) => ({ ...page, file: `/console/${name}` }));
  const builtIn = file('index-built-in', listed(true));
  const index = file('index', { pages: listed(false), builtIn: `/console/${builtIn.name}` });
  return { index: index.name, files: [index, builtIn, ...pages.map((each) => each.file)] };
}

const brotliParameters = { [constants.BROTLI_PARAM_QUALITY]: 11 };

async function bundleScripts() {
  const { rolldown } = await import('rolldown');
  const bundler = await rolldown({
    cwd: root,
    input: { main: 'src/console/page/main.tsx' },
    platform: 'browser',
    tsconfig: false,
    transform: { target: 'es2022', jsx: { runtime: 'automatic', importSource: 'preact' } },
    onLog(level, { code, message }) {
      if (code === 'UNRESOLVED_IMPORT') throw new Error(message);
      if (level === 'warn') process.stderr.write(`${message}\n`);
    },
  });
  const { output } = await bundler.generate({
    format: 'esm',
    minify: true,
    entryFileNames: 'assets/[name]-[hash].js',
    chunkFileNames: 'assets/[name]-[hash].js',
  });
  await bundler.close();
  return output.filter(({ type }) => type === 'chunk');
}

/** The styles of the page, and then those of its views. */
function readStyles() {
  const files = globSync('../**/*.css', { cwd: page }).toSorted(
    (a, b) => Number(b.endsWith('/styles.css')) - Number(a.endsWith('/styles.css')) || (a < b ? -1 : 1),
  );
  return files
    .map((file) => readFileSync(join(page, file), 'utf8'))
    .join('\n')
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/\n\s*/g, '\n');
}

function hashedName(name, extension, text) {
  return `assets/${name}-${createHash('sha256').update(text).digest('base64url').slice(0, 8)}.${extension}`;
}

/** What the page is made of: its sources, the documentation, its libraries and the scripts. */
function hashOfSources() {
  const hash = createHash('sha256');
  const views = globSync('../*/*.{tsx,css}', { cwd: page, withFileTypes: true });
  for (const file of [...globSync('**/*', { cwd: page, withFileTypes: true }), ...views]
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name))
    .toSorted())
    hash.update(file).update('\0').update(readFileSync(file)).update('\0');
  for (const file of ['package-lock.json', 'scripts/console-page.mjs', 'scripts/console-docs.mjs', ...documentFiles()])
    hash.update(readFileSync(join(root, file)));
  return hash.digest('hex').slice(0, 16);
}

/** Returns the folder of the built page. Processes may build at the same time. */
export async function findConsolePage() {
  const cache = join(root, '.cache/console-page');
  const folder = join(cache, hashOfSources());
  if (existsSync(join(folder, 'manifest.json'))) return folder;
  mkdirSync(cache, { recursive: true });
  const draft = mkdtempSync(join(cache, 'draft-'));
  await buildConsolePage(draft);
  try {
    renameSync(draft, folder);
  } catch (thrown) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(join(folder, 'manifest.json'))) throw thrown;
  }
  return folder;
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (folder !== undefined) await buildConsolePage(folder);
  process.stdout.write(`${folder ?? (await findConsolePage())}\n`);
}
