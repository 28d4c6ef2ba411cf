/** The code of the engine knows no word of the services that it serves, apart from stored names that must not change. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const src = join(import.meta.dirname, '../../src');
const services = ['services', 'config', 'backend', 'app', 'testing/demo', 'cli'];
const words = /merchant|shopper|psp|payment|balance|recurring|company|companies/gi;

/** Stored names: rows and outcomes of earlier releases have them. */
const stored: readonly (readonly [file: RegExp, word: RegExp])[] = [
  [/^console\/state\/open-work\.ts$/, /^company$/],
  [/^idempotency\/stored-outcome\.ts$/, /^psp$/],
  [/^jobs\/webhooks\/event\.ts$/, /^psp$/],
];

/** Comments may name a service as an example. */
function withoutComments(code: string): string {
  return code.replaceAll(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, '');
}

function wordsOf(file: string, code: string): readonly string[] {
  return (withoutComments(code).match(words) ?? []).filter(
    (word) => !stored.some(([files, allowed]) => files.test(file) && allowed.test(word)),
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
