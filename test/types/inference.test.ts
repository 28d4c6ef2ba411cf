/** Type tests of the contract: the inferred types, and mistakes that must not compile. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';

const root = resolve(import.meta.dirname, '../..');

const handlers = `
import { implement } from 'ROOT/src/stores/handlers.ts';
import { disable } from 'ROOT/src/payments/recurring/disable.ts';
import { recurringHandlers } from 'ROOT/src/payments/recurring/index.ts';
import { newestRecurring } from 'ROOT/src/payments/recurring/versions.ts';
const every = recurringHandlers({ updater: { kind: 'batch' } });
const { listRecurringDetails, ...others } = every;
`;
const contract = `
import { operation } from 'ROOT/src/core/contract/operation.ts';
import { object, optional, required, string } from 'ROOT/src/core/contract/schema.ts';
const parts = { name: 'x', doc: '', effect: 'reads', role: 'recurring', problems: [], input: object('A', {}), output: object('B', {}) } as const;
`;
/** Two versions of a reading and of a writing operation: the newer one returns more and asks for less. */
const handlersOfVersions = `
import { operation } from 'ROOT/src/core/contract/operation.ts';
import { object, required, string } from 'ROOT/src/core/contract/schema.ts';
import { service } from 'ROOT/src/core/contract/service.ts';
import type { Handler, TwoPhaseHandler } from 'ROOT/src/stores/handlers.ts';
import { implement } from 'ROOT/src/stores/handlers.ts';
const text = required(string({ example: 'a' }), '');
const parts = { name: 'x', doc: '', effect: 'reads', role: 'r', problems: [] } as const;
const older = operation({ ...parts, input: object('A', { a: text }), output: object('B', { b: text }) });
const returnsMore = operation({ ...parts, input: older.input, output: object('B', { b: text, c: text }) });
const asksForLess = operation({ ...parts, input: object('A', {}), output: older.output });
const writing = operation({ ...older, effect: 'writes' });
const writesMore = operation({ ...returnsMore, effect: 'writes' });
const writesWithLess = operation({ ...asksForLess, effect: 'writes' });
const versionOf = <O extends typeof returnsMore | typeof asksForLess | typeof writesMore | typeof writesWithLess>(one: O) =>
  service<O>({ name: 'S', version: 2, answers: { from: 2, to: 2 }, address: '/s', namespaces: { own: 's', uris: { s: 'http://s' } }, doc: '', roles: ['r'], operations: [one] });
declare const x: Handler<typeof older>;
declare const twoPhase: TwoPhaseHandler<typeof writing, string>;
`;
const inferred = `
import type { disable, listRecurringDetails, storeToken } from 'ROOT/src/payments/recurring/contract.ts';
import type { Input, Output } from 'ROOT/src/core/contract/operation.ts';
`;
/** Tables whose declarations lack what each must state. */
const tables = `
import { column, type RowOf, table } from 'ROOT/src/stores/table.ts';
const { tenant, text, moment, json, nullable } = column;
const columns = { tenant, number: text, seenAt: moment, note: nullable(json) };
const key = ['tenant', 'number'] as const;
const stated = { signed: 'none', belongsTo: 'none', keptFor: 'forever' } as const;
export const orders = table('orders', { columns, key, ...stated });
export const signedOrders = table('orders', { columns, key, ...stated, signed: 'allColumns' });
const row: RowOf<typeof orders> = { tenant: 'T', number: '1', seen_at: 1, note: null };
const signedRow: RowOf<typeof signedOrders> = { ...row, row_mac: null };
export const note: string | null = signedRow.note;
const { belongsTo, keptFor, signed } = stated;
`;

/** Each compiles except for its last line, where the compiler must report what matches. */
const mistakes: Readonly<Record<string, readonly [before: string, last: string, error: RegExp]>> = {
  'a table whose key does not begin with its tenant': [
    tables,
    "export const t = table('t', { columns, key: ['number', 'tenant'], ...stated });",
    /not assignable/,
  ],
  'a table without a tenant that does not say who shares it': [
    tables,
    "export const t = table('t', { columns: { id: text }, key: ['id'], ...stated });",
    /not assignable/,
  ],
  'a table that does not say how long it is kept': [
    tables,
    "export const t = table('t', { columns, key, signed, belongsTo });",
    /keptFor/,
  ],
  'a table that does not say what it is erased with': [
    tables,
    "export const t = table('t', { columns, key, signed, keptFor });",
    /belongsTo/,
  ],
  'a table that does not say what its MACs cover': [
    tables,
    "export const t = table('t', { columns, key, belongsTo, keptFor });",
    /signed/,
  ],
  'a table whose MACs cover a column that it lacks': [
    tables,
    "export const t = table('t', { columns, key, ...stated, signed: { columns: ['other'] } });",
    /not assignable/,
  ],
  'a table that is kept after a column that is no moment': [
    tables,
    "export const t = table('t', { columns, key, ...stated, keptFor: { after: 'note', subject: 's', days: 1 } });",
    /not assignable/,
  ],
  'a table with a data key that does not name its record': [
    tables,
    "export const t = table('t', { columns: { ...columns, ...column.dataKey }, key, ...stated });",
    /sealedRecord/,
  ],
  'a missing handler': [handlers, 'export const all = implement(newestRecurring, others);', /listRecurringDetails/],
  'a handler of no operation': [
    handlers,
    'export const all = implement(newestRecurring, { ...every, enable: disable });',
    /never/,
  ],
  'a handler of another operation': [
    handlers,
    'export const all = implement(newestRecurring, { ...every, storeToken: disable });',
    /not assignable/,
  ],
  'a handler of an older version whose output lacks a field': [
    handlersOfVersions,
    'export const all = implement(versionOf(returnsMore), { x });',
    /'c' is missing/,
  ],
  'a handler of an older version that requires more input': [
    handlersOfVersions,
    'export const all = implement(versionOf(asksForLess), { x });',
    /'a' is missing/,
  ],
  'a two-phase handler of an older version whose output lacks a field': [
    handlersOfVersions,
    'export const all = implement(versionOf(writesMore), { x: twoPhase });',
    /'c' is missing/,
  ],
  'a two-phase handler of an older version that requires more input': [
    handlersOfVersions,
    'export const all = implement(versionOf(writesWithLess), { x: twoPhase });',
    /'a' is missing/,
  ],
  'a handler of an older version as one of a newer version': [
    handlersOfVersions,
    'export const newer: Handler<typeof returnsMore> = x;',
    /'c' is missing/,
  ],
  'a reading handler that writes': [
    `${handlers}import type { Handler } from 'ROOT/src/stores/handlers.ts';
import type { RecurringOperations } from 'ROOT/src/payments/recurring/contract.ts';`,
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
  'a text as a dateTime': [
    inferred,
    `export const out: Output<typeof listRecurringDetails> = { creationDate: '2020-01-01' };`,
    /number/,
  ],
  'an input field that the contract does not have': [
    inferred,
    `export const take = (input: Input<typeof disable>) => input.shopperRefrence;`,
    /shopperRefrence/,
  ],
  'an optional field used without a check': [
    inferred,
    `export const take = (input: Input<typeof storeToken>): string => input.card.number;`,
    /card|undefined/,
  ],
  'an assignment to a request': [
    inferred,
    `export const take = (input: Input<typeof disable>) => { input.merchantAccount = ''; };`,
    /read-only/,
  ],
  'an unknown problem': [
    contract,
    `export const none = operation({ ...parts, problems: ['contractNotFond'] });`,
    /contractNotFond/,
  ],
  'an unknown problem of a field': [
    contract,
    `export const none = required(string({ example: '' }), '', { missing: 'missingColour' });`,
    /missingColour/,
  ],
  'a format without its wire text': [
    `import type { Case } from 'ROOT/test/conformance/case.ts';
const exchange = { sends: '', answers: '' };`,
    'export const wire: Case["wire"] = { soap11: exchange, soap12: exchange, json: exchange, form: exchange };',
    /adapter/,
  ],
};

/** Compiles without errors where the types are inferred as they should be. */
const inferredTypes = `${inferred}
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(): T | undefined => undefined;
holds<Equal<Input<typeof disable>['merchantAccount'], string>>();
holds<Equal<Input<typeof disable>['contract'], readonly ('ONECLICK' | 'RECURRING' | 'PAYOUT')[] | undefined>>();
holds<Equal<Output<typeof disable>['response'], '[detail-successfully-disabled]' | '[all-details-successfully-disabled]'>>();
holds<Equal<Output<typeof listRecurringDetails>['creationDate'], number | undefined>>();
holds<Equal<Output<typeof listRecurringDetails>['invalidOneclickContracts'], boolean | undefined>>();
holds<Equal<Input<typeof storeToken>['additionalData'], Readonly<Record<string, string>> | undefined>>();
holds<Equal<NonNullable<Input<typeof storeToken>['card']>['cvc'], string | undefined>>();
`;

/** A whole implementation with an older version; the compiler must report nothing. */
const implemented = `${handlers}
import { implementBothVersions } from 'ROOT/test/support/newer-recurring.ts';
export const all = implement(newestRecurring, every);
export const both = implementBothVersions({ updater: { kind: 'batch' } });
`;

const folder = mkdtempSync(join(tmpdir(), 'triglyph-types-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string): void => {
  writeFileSync(join(folder, name), text.replaceAll('ROOT', root));
};

/** Runs the compiler once over all files; returns its errors by file and line. */
function compile(): ReadonlyMap<string, string> {
  const entries = Object.values(mistakes);
  for (const [index, [before, last]] of entries.entries()) write(`mistake${index}.ts`, `${before.trim()}\n${last}\n`);
  write('inferred-types.ts', inferredTypes);
  write('implemented.ts', implemented);
  write('package.json', '{"type":"module"}');
  const compilerOptions = { noUnusedLocals: false, typeRoots: [join(root, 'node_modules/@types')] };
  write('tsconfig.json', JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, include: ['*.ts'] }));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout, error } = spawnSync(process.execPath, [compiler, '-p', folder, '--pretty', 'false'], {
    encoding: 'utf8',
  });
  if (error !== undefined) throw error;
  const errors = new Map<string, string>();
  let place = '';
  for (const line of stdout.split('\n')) {
    const [, file, number, text] = /^(?:.*\/)?([\w-]+\.ts)\((\d+),\d+\): (.*)$/.exec(line) ?? [];
    if (file !== undefined) place = `${file}:${number}`;
    if (place !== '') errors.set(place, `${errors.get(place) ?? ''}${text ?? line}\n`);
  }
  return errors;
}

const errors = compile();
const placesIn = (file: string): readonly string[] =>
  [...errors.keys()].filter((place) => place.startsWith(`${file}:`));

describe('does not compile', () => {
  test.each(Object.entries(mistakes).map(([title, mistake], index) => ({ title, mistake, index })))(
    '$title',
    ({ mistake: [before, , error], index }) => {
      const last = `mistake${index}.ts:${before.trim().split('\n').length + 1}`;
      expect(placesIn(`mistake${index}.ts`)).toEqual([last]);
      expect(errors.get(last)).toMatch(error);
    },
  );
});

test.each(['inferred-types.ts', 'implemented.ts'])('%s compiles', (file) => {
  expect(placesIn(file).map((place) => errors.get(place))).toEqual([]);
});
