/** Imports WSDLs whose texts try to become code of the generated contract: none of it runs when the contract is loaded. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import vm from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Service } from '../../src/core/contract/service.ts';
import * as language from '../../src/program/api/contract.ts';
import { checkSource, UnsafeSource } from '../../src/readers/wsdl/check-source.ts';
import { Unread } from '../../src/readers/wsdl/read-location.ts';
import { importWsdl } from '../support/import-wsdl.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folder = tempFolder();
beforeAll(() => {
  mkdirSync(folder.path, { recursive: true });
});
afterAll(() => folder.discard());

const wsdls = ['every-part', 'jaxws', 'nusoap'].map((name) => {
  const file = join(import.meta.dirname, `../wsdl/${name}.wsdl`);
  // XML 1.1 has references to control characters, which 1.0 has not.
  const text = readFileSync(file, 'utf8').replace(/^<\?xml[^>]*>/, '<?xml version="1.1" encoding="UTF-8"?>');
  return [name, text] as const;
});
const jaxwsTypes = readFileSync(join(import.meta.dirname, '../wsdl/jaxws.xsd'), 'utf8');

const statement = ';globalThis.canary=1;//';
const ends = [
  "'",
  '"',
  '`',
  "\\'",
  '\\',
  "');",
  "'});",
  '*/',
  '</script>',
  '${',
  '\ud800',
  '\udc00',
  '\u202e',
  '\u001b]0;',
];
/** A character that is not escaped runs the statement behind it, or is a syntax error. */
const payloads = {
  'line ends': ['\n', '\r', '\r\n', '\u2028', '\u2029', '\v', '\f', '\u0085'].map((end) => end + statement).join(''),
  'ends of literals and comments': ends.map((end) => end + statement).join(''),
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a template would run it
  expressions: "${globalThis.canary=1}'+(globalThis.canary=1)+'\"+(globalThis.canary=1)+\"',[globalThis.canary=1]:'",
  __proto__: '__proto__',
};

const inXml = (text: string) =>
  text.replace(/[^\w ;=./-]/g, (unit) => (/[\ud800-\udfff]/.test(unit) ? unit : `&#${unit.charCodeAt(0)};`));

/** Every attribute and every text of a document, one after the other, with the payload behind it. */
function* oneByOne(document: string, payload: string): Generator<string> {
  for (const { 0: found, index } of document.matchAll(/(?<==")[^"]*(?=")|(?<=>)[^<>\s][^<>]*(?=<)/g)) {
    if (/^(?:1\.0|utf-8)$/i.test(found)) continue;
    const end = index + found.length;
    yield document.slice(0, end) + inXml(payload) + document.slice(end);
  }
}

/** Each name of a document with the payload behind it, wherever it is declared or used. */
function* everywhere(document: string, payload: string): Generator<string> {
  const values = [...document.matchAll(/="(?:\w+:)?([\w-]+)"/g)].map(([, name]) => name!);
  for (const name of new Set(values))
    yield document.replace(
      new RegExp(`(="(?:\\w+:)?${name})(?=")`, 'g'),
      `$1${inXml(payload)}`.replaceAll('$$', '$$$$'),
    );
}

async function importText(text: string): Promise<{ readonly service: Service; readonly text: string } | undefined> {
  const file = join(folder.path, 'hostile.wsdl');
  writeFileSync(file, text);
  try {
    return await importWsdl(file, { allowNetwork: false });
  } catch (thrown) {
    if (!(thrown instanceof Unread)) throw thrown;
    return undefined;
  }
}

/**
 * Runs the text of a contract in a context of its own, as a script: without its imports and exports. Returns what it exports, and
 * whether code of a document ran.
 */
function load(text: string): { readonly contract: Service | undefined; readonly hasRun: boolean } {
  const context = vm.createContext({ ...language });
  const script = stripTypeScriptTypes(text)
    .replaceAll(/^import \{[^}]*\} from 'triglyph\/contract';/gm, '')
    .replaceAll(/^export (?=const )/gm, '');
  const contract = vm.runInContext(`${script}\n;typeof contract === 'undefined' ? undefined : contract`, context);
  return { contract, hasRun: 'canary' in context };
}

const plain = (service: Service | undefined) =>
  JSON.parse(JSON.stringify({ ...service, operations: [...(service?.operations ?? [])] }));

/** The text with every escape undone, as a generator would write it that escapes nothing. */
function unescaped(text: string): string {
  return text.replace(/\\(?:u([0-9a-f]{4})|(.))/g, (_, unit?: string, other = '') =>
    unit === undefined
      ? ({ n: '\n', r: '\r', t: '\t', v: '\v', f: '\f' }[other as string] ?? other)
      : String.fromCharCode(Number.parseInt(unit, 16)),
  );
}

function runs(text: string): boolean {
  try {
    return load(text).hasRun;
  } catch {
    return false;
  }
}

describe.each(wsdls)('%s', (_, document) => {
  test.each(Object.entries(payloads))('with %s in any place', async (__, payload) => {
    writeFileSync(join(folder.path, 'jaxws.xsd'), jaxwsTypes);
    let imported = 0;
    for (const text of [...oneByOne(document, payload), ...everywhere(document, payload)]) {
      const result = await importText(text);
      if (result === undefined) continue;
      imported += 1;
      const { contract, hasRun } = load(result.text);
      expect(hasRun).toBe(false);
      expect(plain(contract)).toEqual(plain(result.service));
    }
    expect(imported).toBeGreaterThan(10);
  });
});

describe('without escapes (control)', () => {
  const [[, document]] = wsdls as [readonly [string, string]];
  const inComment = (payload: string) => document.replace('namespace="##other"', `namespace="${inXml(payload)}"`);
  const inLiteral = (payload: string) => document.replace('Finds an item.', inXml(payload));

  test.each([
    ...['\n', '\r', '\r\n', '\u2028', '\u2029'].map((end) => [
      JSON.stringify(end),
      inComment(`urn:x${end}${statement}`),
    ]),
    ['an expression', inLiteral("\"'+(globalThis.canary=1)+'")],
    ['a name', inLiteral("\"',[globalThis.canary=1]:'")],
  ])('the code behind %s runs, and the check of the text refuses it', async (_, hostile) => {
    const { text } = (await importText(hostile))!;
    expect(runs(text)).toBe(false);
    expect(runs(unescaped(text))).toBe(true);
    expect(() => checkSource(unescaped(text))).toThrow(UnsafeSource);
    expect(() => checkSource(text)).not.toThrow();
  });
});

describe('the check of the text', () => {
  const start = "import { object, string } from 'triglyph/contract';\n\nconst a = string({ example: 'x' });\n";
  test('accepts declarations', () => {
    expect(() => checkSource(start)).not.toThrow();
    expect(() =>
      checkSource(`${start}export const b = object('B', { a, 'b-c': [1, -2.5, true] }) as const;\n`),
    ).not.toThrow();
  });

  test.each([
    ['a call', 'run();'],
    ['a call of something else', 'const b = run();'],
    ['a name of something else', 'const b = globalThis;'],
    ['a name before its declaration', 'const b = c; const c = a;'],
    ['a call of a member', 'const b = a.constructor();'],
    ['a member of a member', 'const b = a.constructor.constructor;'],
    ['a call of a result', "const b = string('x')();"],
    ['a template', 'const b = `x`;'],
    ['a tag', 'const b = string`x`;'],
    ['a function', 'const b = () => 1;'],
    ['a getter', 'const b = { get x() { return 1; } };'],
    ['a method', 'const b = { x() {} };'],
    ['a computed name', 'const b = { [a]: 1 };'],
    ['a spread', 'const b = { ...a };'],
    ['a prototype', 'const b = { __proto__: a };'],
    ['a quoted prototype', "const b = { '__proto__': a };"],
    ['an assignment', 'const b = a = 1;'],
    ['an operator', 'const b = 1 + a;'],
    ['two expressions', 'const b = (1, a);'],
    ['new', 'const b = new a();'],
    ['import()', "const b = import('node:fs');"],
    ['another import', "import 'node:fs';"],
    ['an export of another module', "export * from 'node:fs';"],
    ['a default export', 'export default a;'],
    ['a regular expression', 'const b = /x/;'],
    ['a comment over lines', 'const b = 1 /* \n */;'],
    ['a variable', 'let b = 1;'],
    ['another declaration of a name', 'const a = 1;'],
    ['an escape in a name', 'const b = \\u0067lobalThis;'],
    ['a type', 'const b = a as any;'],
    ['a decorator', '@a class B {}'],
    ['a line end that is none in an editor', '// x\u2028run();'],
    ['a control character', '// \u001b[2J'],
    ['brackets in brackets', `const b = ${'['.repeat(10_000)};`],
    ['an open literal', "const b = 'x"],
    ['nothing behind a declaration', 'const b'],
  ])('refuses %s', (_, source) => {
    expect(() => checkSource(`${start}${source}\n`)).toThrow(UnsafeSource);
  });

  test.each([
    "import fs from 'node:fs';",
    "import { service } from 'node:fs';",
    "import { statement } from 'triglyph/contract';",
    '',
  ])('refuses a start with %s', (first) => {
    expect(() => checkSource(`${first}\nconst a = 1;\n`)).toThrow(UnsafeSource);
  });

  test('names the line', () => {
    expect(() => checkSource(`${start}run();\n`)).toThrow('line 4 of the contract would hold code: run');
  });
});
