/**
 * Renders the documentation for the console: a tree of elements for each page, and an index of pages and headings. The page of the console makes
 * elements of the trees. It never gets HTML, which its policy refuses.
 */
import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

const root = join(import.meta.dirname, '..');

/** Decisions are for people who change the program. `api.md` is for those who embed it. */
const patterns = ['docs/*.md', 'docs/clients/*.md', 'docs/reference/**/*.md'];
const leftOut = new Set(['api', 'development', 'bench', 'comparison']);

/** The sources of the pages, as paths of the checkout. */
export function documentFiles() {
  return patterns
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !leftOut.has(nameOf(path)))
    .toSorted();
}

/** `docs/reference/README.md` is `reference`. */
function nameOf(path) {
  return path
    .replace(/^docs\//, '')
    .replace(/(^|\/)README\.md$/, '')
    .replace(/\.md$/, '');
}

/** Pages about the built-in services. A gateway that serves none of them does not list these. */
const builtIn = new Set(['account-updater', 'balance-platform', 'demo', 'import', 'retention', 'security', 'webhooks']);
const builtInFolders = /^(?:clients|reference)(?:\/|$)/;

/** The built-in services, by the folders of their reference pages. */
const servicesOfFolders = { reference: 'Recurring', 'reference/balance-platform': 'BalancePlatform' };

/** Returns each page with its name, its title, its headings, its tree, and the service and operation that it describes. */
export async function renderDocuments() {
  const { lexer } = await import('marked');
  const files = documentFiles();
  const names = new Set(files.map(nameOf));
  return files.map((file) => {
    const page = { file, names, ids: new Map(), headings: [] };
    const tree = blocksOf(lexer(readFileSync(join(root, file), 'utf8')), page);
    const name = nameOf(file);
    const service = servicesOfFolders[posix.dirname(name)];
    return {
      name,
      title: page.title ?? name,
      headings: page.headings,
      ...(service !== undefined && { describes: `${service}.${posix.basename(name)}` }),
      isBuiltIn: builtIn.has(name) || builtInFolders.test(name),
      tree,
    };
  });
}

/** A node is a text, or an array: its tag, its attribute (an id or an address) or null, and its children. */
function blocksOf(tokens = [], page) {
  return tokens.flatMap((token) => {
    switch (token.type) {
      case 'heading':
        return [heading(token, page)];
      case 'paragraph':
        return [['p', null, inline(token.tokens, page)]];
      case 'text':
        return token.tokens === undefined ? [decodeEntities(token.text)] : inline(token.tokens, page);
      case 'code':
        return [['pre', null, [['code', null, [token.text]]]]];
      case 'list':
        return [
          [token.ordered ? 'ol' : 'ul', null, token.items.map((item) => ['li', null, blocksOf(item.tokens, page)])],
        ];
      case 'blockquote':
        return [['blockquote', null, blocksOf(token.tokens, page)]];
      case 'table':
        return [tableOf(token, page)];
      case 'space':
      case 'hr':
      case 'html':
        return [];
      default:
        throw new Error(`${page.file}: the console has no element for ${token.type}`);
    }
  });
}

function heading({ depth, text, tokens }, page) {
  const plain = decodeEntities(text.replaceAll(/[`*]|\[([^\]]*)\]\([^)]*\)/g, '$1'));
  const base = plain
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
  const times = page.ids.get(base) ?? 0;
  page.ids.set(base, times + 1);
  const id = times === 0 ? base : `${base}-${times}`;
  if (depth === 1) page.title ??= plain;
  else page.headings.push([id, plain]);
  // The heading of the view is that of the page.
  return depth === 1 ? '' : [`h${Math.min(depth, 4)}`, id, inline(tokens, page)];
}

function tableOf({ header, rows }, page) {
  const row = (cells, tag) => ['tr', null, cells.map((cell) => [tag, null, inline(cell.tokens, page)])];
  return [
    'table',
    null,
    [
      ['thead', null, [row(header, 'th')]],
      ['tbody', null, rows.map((cells) => row(cells, 'td'))],
    ],
  ];
}

function inline(tokens = [], page) {
  return tokens.flatMap((token) => {
    switch (token.type) {
      case 'text':
      case 'escape':
        return token.tokens === undefined ? [decodeEntities(token.text)] : inline(token.tokens, page);
      case 'strong':
      case 'em':
        return [[token.type, null, inline(token.tokens, page)]];
      case 'codespan':
        return [['code', null, [token.text]]];
      case 'link':
        return linkOf(token, page);
      case 'br':
        return [' '];
      // Pictures show the console itself, and comments are for other programs.
      case 'image':
      case 'html':
        return [];
      default:
        throw new Error(`${page.file}: the console has no element for ${token.type}`);
    }
  });
}

/** A link to a file that is no page is its text. */
function linkOf({ href, tokens }, page) {
  const children = inline(tokens, page);
  if (/^https?:/.test(href)) return [['a', href, children]];
  const [path, hash = ''] = href.split('#');
  const target = path === '' ? page.file : posix.join(posix.dirname(page.file), path);
  const name = target.startsWith('docs/') && target.endsWith('.md') ? nameOf(target) : undefined;
  if (name === undefined || !page.names.has(name)) return children;
  return [['a', `/docs/${name}${hash === '' ? '' : `#${hash}`}`, children]];
}

const entities = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };

function decodeEntities(text) {
  return text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity]);
}
