/** Planted differences are found exactly: one at its place, and none where two answers say the same in other words. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Operation } from '../../src/core/contract/operation.ts';
import { map, type Schema } from '../../src/core/contract/schema.ts';
import type { Service } from '../../src/core/contract/service.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import {
  type ComparedAnswer,
  compareAnswers,
  messagePath,
  outcomePath,
} from '../../src/forward/compare/compare-answers.ts';
import {
  compareValues,
  type Difference,
  type DifferenceKind,
  IdPairs,
} from '../../src/forward/compare/compare-values.ts';
import { compileRules, joinPath, type RuleTexts } from '../../src/forward/compare/rules.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import { Random } from '../simulation/random.ts';
import { arbitrary } from '../support/generate.ts';
import { invoicesV1 } from '../support/invoices.ts';
import { isNightly } from '../support/nightly.ts';
import { rounded } from './round-trip.ts';

const pairs = isNightly ? 10_000 : 2_000;
const secondMs = 1_000;

/** A place in a value whose part can be replaced; undefined removes it. */
interface Site {
  readonly schema: Schema;
  readonly path: string;
  readonly value: unknown;
  readonly isOptional: boolean;
  replace(value: unknown): void;
}

/** Every place of a value, absent members included. */
function sitesOf(schema: Schema, value: unknown, path: string, replace: Site['replace'], isOptional: boolean): Site[] {
  const own = { schema, path, value, replace, isOptional };
  if (value === undefined) return [own];
  switch (schema.kind) {
    case 'object': {
      const members = value as Record<string, unknown>;
      return Object.entries(schema.fields).flatMap(([name, field]) =>
        sitesOf(field.schema, members[name], joinPath(path, name), (next) => set(members, name, next), !field.required),
      );
    }
    case 'list': {
      if (schema.joined) return [own];
      const items = value as unknown[];
      const inner = items.flatMap((item, at) =>
        sitesOf(schema.item, item, `${path}[]`, (next) => (items[at] = next), false),
      );
      return [own, ...inner];
    }
    case 'map': {
      const entries = value as Record<string, unknown>;
      if (schema.item !== undefined) return [own];
      const text: Schema = { kind: 'string', example: 'x' };
      const inner = Object.keys(entries).flatMap((key) =>
        sitesOf(text, entries[key], `${path}.*`, (next) => set(entries, key, next), Object.keys(entries).length > 1),
      );
      return [own, ...inner];
    }
    default:
      return [own];
  }
}

function set(members: Record<string, unknown>, name: string, value: unknown): void {
  if (value === undefined) delete members[name];
  else members[name] = value;
}

/** Changes a site, and returns the one kind of difference that this is; undefined where the site does not suit. */
type Plant = (site: Site, random: Random) => DifferenceKind | undefined;

const scalar =
  (kind: Schema['kind'], change: (value: never) => unknown): Plant =>
  ({ schema, value, replace }) => {
    // What the contract does not allow is found as well, as a fault of the answer.
    if (schema.kind !== kind || value === undefined || 'pattern' in schema || 'format' in schema) return undefined;
    if (String(value).startsWith('-')) return undefined;
    const next = change(value as never);
    if (next === value) return undefined;
    replace(next);
    return 'value';
  };
const items = (change: (items: unknown[], random: Random) => unknown[], kind: DifferenceKind): Plant => {
  return ({ schema, value, replace }, random) => {
    if (schema.kind !== 'list' || schema.joined || value === undefined) return undefined;
    const next = change([...(value as unknown[])], random);
    if (next.length === 0 || next.length > schema.max || JSON.stringify(next) === JSON.stringify(value))
      return undefined;
    replace(next);
    return kind;
  };
};

const plants: Readonly<Record<string, Plant>> = {
  'a letter of a text': scalar('string', (text: string) =>
    [...[...text].slice(0, -1), text.endsWith('q') ? 'w' : 'q'].join(''),
  ),
  'a text in other case': scalar('string', (text: string) =>
    text === text.toLowerCase() ? text.toUpperCase() : text.toLowerCase(),
  ),
  'another number': ({ schema, value, replace }) => {
    if (schema.kind !== 'integer' || value === undefined || schema.min === schema.max) return undefined;
    replace(value === schema.max ? schema.min : (value as number) + 1);
    return 'value';
  },
  'a digit of a decimal': scalar('decimal', (text: string) =>
    text.endsWith('1') ? text.replace(/.$/, '2') : text.replace(/[02-9]$/, '1'),
  ),
  'a boolean': scalar('boolean', (value: boolean) => !value),
  'another day': scalar('date', (text: string) => text.replace(/..$/, (day) => (day === '01' ? '02' : '01'))),
  'another hour': scalar('dateTime', (ms: number) => ms + 3_600_000),
  'six seconds': scalar('dateTime', (ms: number) => ms + 6 * secondMs),
  'a byte': scalar('binary', (text: string) => (text.startsWith('A') ? `B${text.slice(1)}` : `A${text.slice(1)}`)),
  'another name of an enumeration': ({ schema, value, replace }, random) => {
    if (schema.kind !== 'enum' || value === undefined || schema.values.length < 2) return undefined;
    replace(random.pick(schema.values.filter((each) => each !== value)));
    return 'value';
  },
  'a member of a set': ({ schema, value, replace }) => {
    if (schema.kind !== 'list' || !schema.joined || value === undefined) return undefined;
    const names = value as readonly string[];
    if (names.length < 2) return undefined;
    replace(names.slice(1));
    return 'value';
  },
  'a missing member': ({ value, isOptional, path, replace }) => {
    if (value === undefined || !isOptional || path.endsWith('.*')) return undefined;
    replace(undefined);
    return 'missing';
  },
  'an added member': ({ schema, value, replace }) => {
    if (value !== undefined || (schema.kind !== 'string' && schema.kind !== 'boolean')) return undefined;
    replace(schema.example);
    return 'added';
  },
  'a missing key': ({ path, value, replace, isOptional }) => {
    if (!path.endsWith('.*') || value === undefined || !isOptional) return undefined;
    replace(undefined);
    return 'missing';
  },
  'a missing item': items((all, random) => all.toSpliced(random.below(all.length), all.length > 1 ? 1 : 0), 'missing'),
  'an added item': items((all, random) => all.toSpliced(random.below(all.length), 0, structuredClone(all[0])), 'added'),
  'an item twice': items((all) => [...all, structuredClone(all.at(-1))], 'added'),
  'another order': items((all) => all.toReversed(), 'order'),
};
const outcomes = ['a refusal', 'another code', 'another text'];
const kinds = [...Object.keys(plants), ...outcomes];

const rules: RuleTexts = {
  within: { 'lines[].since': '5 s', '**.creationDate': '5 s' },
  mapId: ['number', '**.recurringDetailReference'],
  ignore: ['**.firstPspReference'],
};

interface Pair {
  readonly left: ComparedAnswer;
  readonly right: ComparedAnswer;
  readonly expected: readonly Pick<Difference, 'kind' | 'path'>[];
  readonly planted: string | undefined;
}

/** What the two servers print differently though it says the same: generated references and times. */
function regenerate(sites: readonly Site[], random: Random, ids: Map<string, string>): void {
  for (const { path, schema, value, replace } of sites) {
    if (value === undefined) continue;
    if (/(^|\.)firstPspReference$/.test(path)) replace(`R${random.below(1e9)}`);
    else if (path === 'number' || path.endsWith('recurringDetailReference')) {
      const own = String(value);
      if (!ids.has(own)) ids.set(own, `NEW-${ids.size}`);
      replace(ids.get(own));
    } else if (schema.kind === 'dateTime' && /creationDate$|since$/.test(path))
      replace((value as number) + random.below(6) * secondMs);
  }
}

function isExempt(path: string): boolean {
  return /(^|\.)(firstPspReference|recurringDetailReference|number)$/.test(path);
}

function createPairs(service: Service, operation: Operation, seed: number, count: number): readonly Pair[] {
  const random = new Random(seed);
  const protocols = createProtocols([service]);
  const ids = new Map<string, string>();
  const outputs = fc.sample(arbitrary(operation.output), { seed, numRuns: count });
  return outputs.map((generated, at): Pair => {
    const left = rounded(operation.output, generated, secondMs);
    const right = structuredClone(left) as Record<string, unknown>;
    const sites = (): Site[] => sitesOf(operation.output, right, '', () => {}, false);
    const planted = at % 2 === 0 ? kinds[(at / 2) % kinds.length] : undefined;
    const read = (format: 'soap11' | 'json', output: unknown): ComparedAnswer => ({
      output: protocols[format].decodeResponse(operation, protocols[format].encode(operation, output).body).value,
    });
    const refused = (code: string, message: string): ComparedAnswer => ({ refusal: { code, message } });
    if (planted === 'a refusal')
      return {
        left: read('soap11', left),
        right: refused('101', 'No'),
        planted,
        expected: [{ kind: 'outcome', path: outcomePath }],
      };
    if (planted === 'another code')
      return {
        left: refused('102', 'No'),
        right: refused('101', 'No'),
        planted,
        expected: [{ kind: 'outcome', path: outcomePath }],
      };
    if (planted === 'another text')
      return {
        left: refused('101', 'No'),
        right: refused('101', 'Never'),
        planted,
        expected: [{ kind: 'value', path: messagePath }],
      };
    const expected: Pair['expected'][number][] = [];
    if (planted !== undefined)
      for (const site of shuffled(sites(), random)) {
        if (isExempt(site.path) || (planted === 'six seconds' && site.value === undefined)) continue;
        const kind = plants[planted]!(site, random);
        if (kind === undefined) continue;
        const path = kind === 'missing' || kind === 'added' ? placeOf(planted, site.path) : site.path;
        expected.push({ kind, path });
        break;
      }
    if (expected[0]?.path !== undefined && /creationDate$|since$/.test(expected[0].path))
      regenerate(
        sites().filter(({ path }) => path !== expected[0]!.path),
        random,
        ids,
      );
    else regenerate(sites(), random, ids);
    return {
      left: read('soap11', left),
      right: read('json', right),
      expected,
      planted: expected.length > 0 ? planted : undefined,
    };
  });
}

function placeOf(planted: string, path: string): string {
  return planted.includes(' item') ? `${path}[]` : path;
}

function shuffled<T>(list: readonly T[], random: Random): readonly T[] {
  return list
    .map((each) => [random.next(), each] as const)
    .sort(([one], [other]) => one - other)
    .map(([, each]) => each);
}

const subjects: readonly (readonly [Service, Operation])[] = [
  [invoicesV1, invoicesV1.operations.get('storeInvoice')!],
  [recurringV25, recurringV25.operations.get('listRecurringDetails')!],
];

function judge(texts: RuleTexts, count = pairs) {
  const faults: string[] = [];
  const seen = new Set<string>();
  let compared = 0;
  for (const [seed, [service, operation]] of subjects.entries()) {
    const ids = new IdPairs();
    const own = compileRules(texts)(operation.name);
    for (const { left, right, expected, planted } of createPairs(
      service,
      operation,
      seed + 1,
      count / subjects.length,
    )) {
      const found = compareAnswers(operation, left, right, own, ids).map(({ kind, path }) => ({ kind, path }));
      compared += 1;
      if (planted !== undefined) seen.add(planted);
      const text = JSON.stringify(found);
      if (text !== JSON.stringify(expected)) faults.push(`${planted}: ${JSON.stringify(expected)}, found ${text}`);
    }
  }
  return { faults, seen, compared };
}

test(`of ${pairs} pairs, half of them with a planted difference, none is missed and none is invented`, () => {
  const { faults, seen, compared } = judge(rules);
  expect(faults.slice(0, 5)).toEqual([]);
  expect([...seen].sort()).toEqual([...kinds].sort());
  expect(compared).toBe(pairs);
});

test.each(['constructor', 'toString'])('a key that every object inherits is missing: %s', (key) => {
  const found = compareValues(
    map(10, { entry: 'value' }),
    { a: 'x', [key]: 'y' },
    { a: 'x' },
    compileRules({})('any'),
    new IdPairs(),
  );
  expect(found).toEqual([{ kind: 'missing', path: '*', at: key, left: 'y' }]);
});

test.each(['within', 'mapId', 'ignore'] as const)('control: without the rules %s differences are invented', (kind) => {
  const { [kind]: _, ...others } = rules;
  expect(judge(others, 200).faults.length).toBeGreaterThan(5);
});
