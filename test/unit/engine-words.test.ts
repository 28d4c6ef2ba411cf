/** The code of the engine knows no word of the services that it serves, apart from a few names that must not change. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const src = join(import.meta.dirname, '../../src');
/** The services, and what is made for them: the package, the demo, the commands and what operators do. */
const services = ['payments', 'operators', 'program/main.ts', 'program/api', 'program/testing/demo', 'program/cli'];
const words = /merchant|shopper|psp|payment|balance|recurring|company|companies|updater|\b(?:iban|cards?)\b/gi;

/** Each has its reason. */
const exceptions: readonly (readonly [file: RegExp, word: RegExp])[] = [
  // Members of documents of the console, and of commands.
  [/^console\/state\/open-work\.ts$|^backend\/dead-letters\.ts$/, /^company$/],
  // A format of the contract language, as `country` is one.
  [/^core\/contract\/(?:lexical|scalar)\.ts$/, /^iban$/],
  // Names of secrets, and of members of requests.
  [/^core\/contract\/(?:secret-text|index)\.ts$/, /^card$/],
  // Published descriptions and an example: of the settings ENVIRONMENT and TRIGLYPH_KEYS, and in the document of the console.
  [/^config\/settings\.ts$|^console\/(?:overview\/contract|callers\/records)\.ts$/, /^(?:cards?|updater)$/i],
];

/** Comments may name a service as an example. */
function withoutComments(code: string): string {
  return code.replaceAll(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, '');
}

function wordsOf(file: string, code: string): readonly string[] {
  return (withoutComments(code).match(words) ?? []).filter(
    (word) => !exceptions.some(([files, allowed]) => files.test(file) && allowed.test(word)),
  );
}

test('the engine knows no word of its services', () => {
  const files = globSync('*/**/*.ts', { cwd: src }).filter(
    (file) => !services.some((folder) => file === folder || file.startsWith(`${folder}/`)),
  );
  expect(files.length).toBeGreaterThan(100);
  const found = files.flatMap((file) =>
    wordsOf(file, readFileSync(join(src, file), 'utf8')).map((word) => `${file}: ${word}`),
  );
  expect(found).toEqual([]);
});

test('the check sees a word in code, and none in a comment', () => {
  expect(wordsOf('gateway/route.ts', "const merchantAccount = 'x'; // of a shopper")).toEqual(['merchant']);
  expect(wordsOf('gateway/route.ts', '/** `/pal/Recurring` */\nreturn row.company;')).toEqual(['company']);
});

/** Names that the index of the formats takes from the folder of one format. */
function namesOfFormats(): readonly string[] {
  const index = readFileSync(join(src, 'core/formats/index.ts'), 'utf8');
  const exported = index.matchAll(/^export (?:type )?\{([^}]*)\} from '\.\/(\w+)\/[^']*';/gm);
  return [...exported].flatMap(([, names]) => [...names!.matchAll(/\w+(?=\s*(?:,|$))/g)].map(([name]) => name));
}

function importedFromFormats(code: string): readonly string[] {
  const [, names = ''] = /import (?:type )?\{([^}]*)\} from '\.\.\/formats\/index\.ts';/.exec(code) ?? [];
  return names.match(/\w+/g) ?? [];
}

test('the gateway knows no wire format', () => {
  const files = globSync('core/gateway/*.ts', { cwd: src }).map((file) => readFileSync(join(src, file), 'utf8'));
  const imported = files.flatMap(importedFromFormats);
  const ofFormats = new Set(namesOfFormats());
  expect(ofFormats.size).toBeGreaterThan(10);
  expect(imported.length).toBeGreaterThan(20);
  expect(imported.filter((name) => ofFormats.has(name))).toEqual([]);
});
