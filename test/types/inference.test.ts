/** What the compiler makes of the contract: types inferred as they should be, and mistakes that do not compile. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';

const root = resolve(import.meta.dirname, '../..');

const handlers = `
import type { Handlers } from 'ROOT/src/domain/handler.ts';
import { handlers } from 'ROOT/src/domain/index.ts';
const { disable, listRecurringDetails, storeToken } = handlers;
const { listRecurringDetails: left, ...others } = handlers;
`;
const contract = `
import { operation } from 'ROOT/src/contract/operation.ts';
import { object, optional, required, string } from 'ROOT/src/contract/shape.ts';
const parts = { name: 'x', doc: '', effect: 'reads', role: 'recurring', problems: [], input: object('A', {}), output: object('B', {}) } as const;
`;
const inferred = `
import type { disable, listRecurringDetails, storeToken } from 'ROOT/src/api/recurring/v25.ts';
import type { Input, Output } from 'ROOT/src/contract/operation.ts';
`;

/** Each compiles but for the last line, where the compiler must say what is given. */
const mistakes: Readonly<Record<string, readonly [before: string, last: string, complaint: RegExp]>> = {
  'a missing handler': [handlers, 'export const all: Handlers = { ...others };', /listRecurringDetails/],
  'a stray handler': [
    handlers,
    'export const all: Handlers = { disable, listRecurringDetails, storeToken, enable: disable };',
    /enable/,
  ],
  'a handler of another operation': [
    handlers,
    'export const all: Handlers = { disable, listRecurringDetails, storeToken: disable };',
    /storeToken/,
  ],
  'a reading handler that writes': [
    `${handlers}import type { Handler } from 'ROOT/src/domain/handler.ts';
import type { RecurringOperations } from 'ROOT/src/api/recurring/v25.ts';`,
    `export const list: Handler<RecurringOperations['listRecurringDetails']> = async (_, view) => { await view.saveShopper(); return {}; };`,
    /saveShopper/,
  ],
  'an output without its field': [inferred, 'export const out: Output<typeof disable> = {};', /response/],
  'an output field of another name': [
    inferred,
    `export const out: Output<typeof listRecurringDetails> = { detail: [] };`,
    /detail/,
  ],
  'an output value that is not in its enumeration': [
    inferred,
    `export const out: Output<typeof disable> = { response: '[disabled]' };`,
    /\[disabled\]/,
  ],
  'a detail without its reference': [
    inferred,
    `export const out: Output<typeof listRecurringDetails> = { details: [{ creationDate: 1, firstPspReference: '', variant: '' }] };`,
    /recurringDetailReference/,
  ],
  'a text where a moment belongs': [
    inferred,
    `export const out: Output<typeof listRecurringDetails> = { creationDate: '2020-01-01' };`,
    /number/,
  ],
  'an input field that is not in the table': [
    inferred,
    `export const take = (input: Input<typeof disable>) => input.shopperRefrence;`,
    /shopperRefrence/,
  ],
  'an optional field taken for granted': [
    inferred,
    `export const take = (input: Input<typeof storeToken>): string => input.card.number;`,
    /card|undefined/,
  ],
  'a request that is written to': [
    inferred,
    `export const take = (input: Input<typeof disable>) => { input.merchantAccount = ''; };`,
    /read-only/,
  ],
  'a problem that is not in the table': [
    contract,
    `export const none = operation({ ...parts, problems: ['contractNotFond'] });`,
    /contractNotFond/,
  ],
  'a problem of a field that is not in the table': [
    contract,
    `export const none = required(string({ example: '' }), '', { missing: 'missingColour' });`,
    /missingColour/,
  ],
  'a role that nobody has': [contract, `export const none = operation({ ...parts, role: 'admin' });`, /admin/],
  'a namespace that is not ours': [
    contract,
    `export const none = object('X', { a: optional(string({ example: '' }), '') }, { namespace: 'soap' });`,
    /soap/,
  ],
  'a text without an example': [contract, 'export const none = string({ max: 3 });', /example/],
  'a protocol without its wire text': [
    `import type { Case } from 'ROOT/test/conformance/case.ts';
const exchange = { sends: '', answers: '' };`,
    'export const wire: Case["wire"] = { soap11: exchange, soap12: exchange, json: exchange, form: exchange };',
    /adapter/,
  ],
};

/** The types as they should be; the compiler must have nothing to say. */
const sound = `${inferred}
import type { Handlers } from 'ROOT/src/domain/handler.ts';
import { handlers } from 'ROOT/src/domain/index.ts';
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(): T | undefined => undefined;
holds<Equal<Input<typeof disable>['merchantAccount'], string>>();
holds<Equal<Input<typeof disable>['contract'], readonly ('ONECLICK' | 'RECURRING' | 'PAYOUT')[] | undefined>>();
holds<Equal<Output<typeof disable>['response'], '[detail-successfully-disabled]' | '[all-details-successfully-disabled]'>>();
holds<Equal<Output<typeof listRecurringDetails>['creationDate'], number | undefined>>();
holds<Equal<Output<typeof listRecurringDetails>['invalidOneclickContracts'], boolean | undefined>>();
holds<Equal<Input<typeof storeToken>['additionalData'], Readonly<Record<string, string>> | undefined>>();
holds<Equal<NonNullable<Input<typeof storeToken>['card']>['cvc'], string | undefined>>();
export const all: Handlers = { ...handlers };
`;

const folder = mkdtempSync(join(tmpdir(), 'triglyph-types-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string): void => {
  writeFileSync(join(folder, name), text.replaceAll('ROOT', root));
};

/** One run of the compiler over all of them: what it says of each, by file and line. */
const compile = (): ReadonlyMap<string, string> => {
  const entries = Object.values(mistakes);
  for (const [index, [before, last]] of entries.entries()) write(`mistake${index}.ts`, `${before.trim()}\n${last}\n`);
  write('sound.ts', sound);
  write('package.json', '{"type":"module"}');
  const compilerOptions = { noUnusedLocals: false, typeRoots: [join(root, 'node_modules/@types')] };
  write('tsconfig.json', JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, include: ['*.ts'] }));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout, error } = spawnSync(process.execPath, [compiler, '-p', folder, '--pretty', 'false'], {
    encoding: 'utf8',
  });
  if (error !== undefined) throw error;
  const said = new Map<string, string>();
  let place = '';
  for (const line of stdout.split('\n')) {
    const [, file, number, text] = /^(?:.*\/)?([\w-]+\.ts)\((\d+),\d+\): (.*)$/.exec(line) ?? [];
    if (file !== undefined) place = `${file}:${number}`;
    if (place !== '') said.set(place, `${said.get(place) ?? ''}${text ?? line}\n`);
  }
  return said;
};

const said = compile();
const placesIn = (file: string): readonly string[] => [...said.keys()].filter((place) => place.startsWith(`${file}:`));

describe('does not compile', () => {
  test.each(Object.entries(mistakes).map(([title, mistake], index) => ({ title, mistake, index })))(
    '$title',
    ({ mistake: [before, , complaint], index }) => {
      const last = `mistake${index}.ts:${before.trim().split('\n').length + 1}`;
      expect(placesIn(`mistake${index}.ts`)).toEqual([last]);
      expect(said.get(last)).toMatch(complaint);
    },
  );
});

test('the types are those of the tables', () => {
  expect(placesIn('sound.ts').map((place) => said.get(place))).toEqual([]);
});
