/** The code of the engine knows no word of the services that it serves, apart from a few names that must not change. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const src = join(import.meta.dirname, '../../src');
/** The services, and what is made for them: the package, the demo, the commands and what operators do. */
const services = ['services', 'api', 'testing/demo', 'cli', 'operators'];
const words = /merchant|shopper|psp|payment|balance|recurring|company|companies|updater|\b(?:iban|cards?)\b/gi;

/** Each has its reason. */
const exceptions: readonly (readonly [file: RegExp, word: RegExp])[] = [
  // Members of documents of the console, and of commands.
  [/^console\/state\/open-work\.ts$|^backend\/dead-letters\.ts$/, /^company$/],
  // A format of the contract language, as `country` is one.
  [/^contract\/(?:lexical|scalar)\.ts$/, /^iban$/],
  // Names of secrets, and of members of requests.
  [/^contract\/secret-text\.ts$/, /^card$/],
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
    (file) => !services.some((folder) => file.startsWith(`${folder}/`)),
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
