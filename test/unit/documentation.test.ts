/** The documents name only files, headings, npm scripts, commands, metrics and settings that exist, and the imports that are allowed. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { observerNames } from '../../src/core/gateway/request-observer.ts';
import { program } from '../support/command-parameters.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const pages = globSync(['*.md', 'docs/**/*.md', 'examples/**/*.md'], { cwd: root });

const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
const lifecycle = ['test', 'start', 'ci', 'install', 'exec'];
const textOf = (pattern: string): string => globSync(pattern, { cwd: root }).map(read).join('\n');
const sources = textOf('src/**/*.ts');
const testSources = `${textOf('test/**/*.ts')}${textOf('bench/**/*.ts')}`;

const withoutBlocks = (text: string): string => text.replaceAll(/^```[\s\S]*?^```$/gm, '');

/** The anchor that GitHub gives a heading. */
function anchorsOf(page: string): readonly string[] {
  return [...withoutBlocks(read(page)).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

function brokenLinks(page: string, text: string): readonly string[] {
  const prose = withoutBlocks(text).replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link]) => {
    if (/^[a-z]+:/.test(link!)) return [];
    const [path, anchor] = link!.split('#');
    const target = path === '' ? page : normalize(join(dirname(page), path!));
    if (!existsSync(join(root, target))) return [link!];
    return anchor === undefined || anchorsOf(target).includes(anchor) ? [] : [link!];
  });
}

function missingPaths(text: string): readonly string[] {
  // A path that a dot or a slash leads to is relative to something else.
  const paths = text.matchAll(/(?<![\w./-])(?:src|test|docs|bench|scripts|bin|examples|wsdl)\/[\w./-]*\w/g);
  return [...paths].map(([path]) => path).filter((path) => !existsSync(join(root, path)));
}

function missingScripts(text: string): readonly string[] {
  const named = [...text.matchAll(/npm run (?:-s )?([\w:-]+)/g)].map(([, name]) => name!);
  const short = [...text.matchAll(/`npm (\w+)`/g)].map(([, name]) => name!).filter((name) => name !== 'run');
  return [...named.filter((name) => !(name in scripts)), ...short.filter((name) => !lifecycle.includes(name))];
}

function missingMetrics(text: string): readonly string[] {
  const names = [...text.matchAll(/\btriglyph_[a-z_]+[a-z]/g)].map(([name]) => name);
  return names.filter((name) => !sources.includes(`'${name}'`));
}

const settingNames = new Set([
  ...(sources.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g) ?? []),
  ...Array.from(testSources.matchAll(/process\.env\.(\w+)/g), ([, name]) => name!),
]);

function missingSettings(text: string): readonly string[] {
  const named = [...text.matchAll(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=[^`]*)?`/g)].map(([, name]) => name!);
  // The packages of OpenTelemetry read most of their variables themselves, and put their names together.
  const exists = (name: string): boolean => name.startsWith('OTEL_') || settingNames.has(name);
  return named.filter((name) => !exists(name) && !exists(name.replace(/_FILE$/, '')));
}

function missingCommands(text: string): readonly string[] {
  const calls = [...text.matchAll(/\btriglyph ([a-z][a-z-]*(?: [a-z][a-z-]*)*)/g)].map(([, words]) =>
    words!.split(' '),
  );
  return calls.filter((words) => !isCommand(program, words)).map((words) => words.join(' '));
}

/** Whether the words lead to a command; words behind a command without subcommands are its arguments. */
function isCommand(command: Command, [word, ...rest]: readonly string[]): boolean {
  if (word === undefined || command.commands.length === 0) return true;
  const next = command.commands.find((each) => each.name() === word);
  return next !== undefined && isCommand(next, rest);
}

test.each(pages)('%s: links lead to files and headings', (page) => {
  expect(brokenLinks(page, read(page))).toEqual([]);
});

// The changelog also names what was removed.
describe.each(pages.filter((page) => page !== 'CHANGELOG.md'))('%s', (page) => {
  const text = read(page);

  test('paths exist', () => expect(missingPaths(text)).toEqual([]));
  test('npm scripts exist', () => expect(missingScripts(text)).toEqual([]));
  test('commands exist', () => expect(missingCommands(text)).toEqual([]));
  test('metrics exist', () => expect(missingMetrics(text)).toEqual([]));
  test('settings exist', () => expect(missingSettings(text)).toEqual([]));
});

/** The modules that each module may import, by the rules that scripts/imports.mjs applies. */
function allowedImports(): ReadonlyMap<string, readonly string[]> {
  interface Rule {
    readonly from: { readonly path?: string };
    readonly to: { readonly pathNot?: string };
  }
  const { forbidden } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as { forbidden: Rule[] };
  return new Map(
    forbidden.flatMap(({ from, to }) => {
      const module = /^\^src\/(\w+)\/$/.exec(from.path ?? '')?.[1];
      const allowed = /^\^src\/\((.*)\)$/.exec(to.pathNot ?? '')?.[1];
      if (module === undefined || allowed === undefined) return [];
      const names = new Set(allowed.split('|').map((path) => path.split('/')[0]!));
      return [[module, [...names].filter((name) => name !== module).sort()] as const];
    }),
  );
}

test('ARCHITECTURE.md lists the modules with their allowed imports', () => {
  const rules = allowedImports();
  const rows = read('ARCHITECTURE.md').matchAll(/^\| `(\w+)` \| .*? \| (.*?) ?\|$/gm);
  const listed = [...rows].flatMap(([, module, imports]) => {
    if (!rules.has(module!)) return [];
    const named = [...imports!.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
    return [[module!, named.sort()] as const];
  });
  expect(rules.size).toBeGreaterThan(10);
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(rules));
});

/** The names in backticks of one column of the table under a head. */
function namesInTable(head: string, column: number): readonly string[] {
  const rows = read('ARCHITECTURE.md').split(`${head}\n`)[1]!.split('\n\n')[0]!.split('\n').slice(1);
  return rows.flatMap((row) => [...row.split(' | ')[column]!.matchAll(/`(\w+)`/g)].map(([, name]) => name!));
}

test('ARCHITECTURE.md lists the steps of a request in the order of the code', () => {
  const [, body = ''] =
    /export async function handleRequest<.*?\{\n(.*?)\n\}\n/s.exec(read('src/core/gateway/handle-request.ts')) ?? [];
  const calls = [...body.matchAll(/(\w+)\(/g)]
    .map(([, name]) => name!)
    .filter((name) => !/^(if|for|catch)$/.test(name));
  expect(calls.length).toBeGreaterThan(15);
  expect(namesInTable('| step | calls in `handleRequest` | result | problems (HTTP status / code) |', 1)).toEqual(
    calls,
  );
});

test('ARCHITECTURE.md lists the observers of requests, and what each is told of', () => {
  const head = '| observer | told of | what it does |';
  expect(namesInTable(head, 0)).toEqual(observerNames);
  expect([...new Set(namesInTable(head, 1))].sort()).toEqual(['answered', 'started', 'step']);
});

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The messages that the first code of a row quotes; `<...>` stands for what the program inserts. */
function quotedMessages(page: string): readonly string[] {
  const messages = (head: string): boolean => head.split('|').some((cell) => cell.trim() === 'message');
  return page
    .split('\n\n')
    .filter((block) => messages(block.split('\n')[0]!))
    .flatMap((table) => table.split('\n').slice(2))
    .map((row) => /`([^`]+)`/.exec(row)?.[1] ?? row);
}

/** A message as sources write it: `${...}` or `{0}` for what is inserted. */
function messagePattern(message: string): RegExp {
  const parts = message.split(/<[^<>]*>/).map(escaped);
  return new RegExp(parts.join('\\$?\\{[^\\n]{1,60}?\\}'));
}

const plainSources = sources.replaceAll('\\`', '`').replaceAll("\\'", "'");

function missingMessages(page: string): readonly string[] {
  return quotedMessages(page).filter((message) => !messagePattern(message).test(plainSources));
}

/** What the sources log as a warning or an error. */
function loggedFailures(text: string): readonly string[] {
  const calls = text.matchAll(
    /(?:\blogFailure\(\s*log,[^;]*?|\blog\.write\(\s*'(?:warn|error)',\s*)(?:'([^'\n]+)'|`([^`\n]+)`),?\s*[,)]/g,
  );
  return [...calls].map(([, plain, template]) => plain ?? template!);
}

function unexplainedFailures(page: string, text: string): readonly string[] {
  const patterns = quotedMessages(page).map(messagePattern);
  return loggedFailures(text).filter((message) => !patterns.some((pattern) => pattern.test(message)));
}

const troubleshooting = 'docs/troubleshooting.md';

test('the page of messages quotes those of the sources', () => {
  expect(quotedMessages(read(troubleshooting)).length).toBeGreaterThan(80);
  expect(missingMessages(read(troubleshooting))).toEqual([]);
});

test('the page of messages explains each failure that is logged', () => {
  expect(loggedFailures(sources).length).toBeGreaterThan(20);
  expect(unexplainedFailures(read(troubleshooting), sources)).toEqual([]);
});

test('reports messages that do not exist, and failures without an explanation', () => {
  const page =
    '| message | cause |\n|---|---|\n| `PORT and ADMIN_PORT are both <n>` | |\n| `PORT and HOST are both <n>` | |';
  expect(missingMessages(page)).toEqual(['PORT and HOST are both <n>']);
  expect(missingMessages('| message |\n|---|\n| `<n> and ADMIN_PORT are` |')).toHaveLength(1);
  const text = `logFailure(log, thrown, 'it failed');\nlog.write('warn', 'too many', { a });\nlogFailure(log, thrown, \`reading \${it} failed\`)`;
  expect(loggedFailures(text)).toEqual(['it failed', 'too many', `reading \${it} failed`]);
  const explained = '| message |\n|---|\n| `it failed` |\n| `reading <gauge> failed` |';
  expect(unexplainedFailures(explained, text)).toEqual(['too many']);
});

test('reports names that do not exist', () => {
  expect(pages.length).toBeGreaterThan(20);
  const links = '[a](docs/none.md) [b](README.md#no-heading) [c](#none) [d](https://x.example) [e](README.md)';
  expect(brokenLinks('README.md', links)).toEqual(['docs/none.md', 'README.md#no-heading', '#none']);
  expect(missingPaths('see `src/none.ts`, test/unit/none and src/program/main.ts.')).toEqual([
    'src/none.ts',
    'test/unit/none',
  ]);
  expect(missingScripts('`npm run none`, `npm run -s jest`, `npm publish`, `npm test`')).toEqual(['none', 'publish']);
  expect(missingCommands('`triglyph keys none`, triglyph webhooks list Acme, triglyph no')).toEqual([
    'keys none',
    'no',
  ]);
  expect(missingMetrics('`triglyph_none_total` and triglyph_requests_total')).toEqual(['triglyph_none_total']);
  expect(missingSettings('`NO_SETTING=1`, `KEY_FILE`, `DRAIN_MS_MAX`, POST')).toEqual(['NO_SETTING']);
});
