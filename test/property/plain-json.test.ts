/** The fast JSON reader accepts only texts that the strict readers read to the same value, without issues. */
import { describe, expect, test } from '@jest/globals';
import fc, { type Arbitrary } from 'fast-check';
import { AnswerCollector, compileRead, IssueCollector } from '../../src/core/contract/read.ts';
import { decimal, integer, list, type ObjectSchema, object, optional, string } from '../../src/core/contract/schema.ts';
import { parseText } from '../../src/core/formats/json/parse.ts';
import { compilePlain, type ReadPlain } from '../../src/core/formats/json/plain.ts';
import { compilePrint } from '../../src/core/formats/json/print.ts';
import { answerReader, reader } from '../../src/core/formats/json/read.ts';
import { limits } from '../../src/core/formats/json/scan.ts';
import { arbitrary } from '../support/generate.ts';
import { runs, search } from './property.ts';
import { subjects } from './subjects.ts';

const answerLimits = { depthMax: 100, membersMax: Number.POSITIVE_INFINITY };

/** What a schema reads, by the readers of requests and of answers; undefined where one of them finds an issue. */
function strictReader(schema: ObjectSchema): (text: string) => readonly [unknown, unknown] | undefined {
  const readRequest = compileRead(schema, reader);
  const readAnswer = compileRead(schema, answerReader, 'server');
  return (text) => {
    try {
      const request = parseText(text, limits);
      const answer = parseText(text, answerLimits);
      if ('fault' in request || 'fault' in answer) return undefined;
      const issues = new IssueCollector();
      const answerIssues = new AnswerCollector();
      const read = [readRequest(request.tree, issues), readAnswer(answer.tree, answerIssues)] as const;
      const isSound = issues.issues.length + answerIssues.issues.length + answerIssues.unknown.length === 0;
      return isSound ? read : undefined;
    } catch {
      return undefined;
    }
  };
}

/** Tokens that servers and clients write instead of a value. */
const oddValue = fc.constantFrom(
  ...['null', '""', '" "', '"x"', '"1"', '"007"', '7', '-0', '01', '1.50', '1.', '1e3', '12345678901234567890'],
  ...['0.1234567890123456', '-', 'true', 'false', 'nul', '[]', '{}', '[null]', '{"a":null}', '{"a":""}', '[[]]'],
  ...['"2017-03-01T11:53:11+01:00"', '"2017-03-01"', '"a\\u0062"', '"a\nb"', '"é"', '"\ud800"', '"\uffff"', '"'],
  ...['{"__proto__":"x"}', '{"b":"1","a":"2"}', '{"a":"1","a":"2"}', '{"a":null,"a":"2"}', '{"10":"x","9":"y"}'],
);

type Edit = (text: string) => string;

/** Replaces the match of a number, counted over all matches. */
const replaceAt = (pattern: RegExp, at: number, change: (match: string) => string): Edit => {
  return (text) => {
    const matches = [...text.matchAll(pattern)];
    const match = matches[at % Math.max(1, matches.length)];
    return match === undefined
      ? text
      : text.slice(0, match.index) + change(match[0]) + text.slice(match.index + match[0].length);
  };
};

const member = /"[^"]*":(?:"[^"]*"|[^",[\]{}]+)/g;
const place = fc.nat(60);
const edit: Arbitrary<Edit> = fc.oneof(
  fc.tuple(place, oddValue).map(([at, odd]) => replaceAt(/(?<=:)(?:"[^"]*"|[^",[\]{}]+)/g, at, () => odd)),
  fc.tuple(place, oddValue).map(([at, odd]) => replaceAt(/(?<=[:[])[[{]/g, at, (match) => `${odd},${match}`)),
  // A member twice, two members in another order, an unknown one, and none.
  place.map((at) => replaceAt(member, at, (match) => `${match},${match}`)),
  place.map((at) =>
    replaceAt(/("[^"]*":"[^"]*"),("[^"]*":"[^"]*")/g, at, (match) => match.replace(/^([^,]*),([^,]*)$/, '$2,$1')),
  ),
  place.map((at) => replaceAt(member, at, (match) => `${match},"unknown":1`)),
  place.map((at) => replaceAt(member, at, () => '')),
  fc
    .tuple(place, fc.constantFrom(' ', '  ', '\n', '\t', '\u000b'))
    .map(([at, blank]) => replaceAt(/[,:[\]{}]/g, at, (match) => `${blank}${match}${blank}`)),
  fc.tuple(place, fc.constantFrom('', ',', '}', 'x')).map(([at, sign]) => replaceAt(/[,:[\]{}"]/g, at, () => sign)),
  fc.tuple(place, oddValue).map(([at, odd]) => replaceAt(/\[(?!\])/g, at, () => `[${odd},`)),
  place.map((at) => replaceAt(/(?<=[:[])\d/g, at, (match) => `0${match}`)),
  fc.constantFrom('x', ' ', '{}', '}', '\n').map((end) => (text: string) => text + end),
  fc.constantFrom(' ', '\ufeff', '[', '\n').map((start) => (text: string) => start + text),
);

const utc = (moment: number) => new Date(moment).toISOString();

/** Messages as they are printed, with a few changes. */
const textsOf = (schema: ObjectSchema): Arbitrary<string> =>
  fc
    .tuple(arbitrary(schema), fc.array(edit, { maxLength: 3 }))
    .map(([value, edits]) => edits.reduce((text, each) => each(text), compilePrint(schema, utc)(value)));

/** Returns the first text that the reader accepts, and that a strict reader refuses or reads differently. */
function wronglyRead(schema: ObjectSchema, readPlain: ReadPlain, numRuns: number): string | undefined {
  const readStrictly = strictReader(schema);
  return search(textsOf(schema), { runs: numRuns, unshrunk: true }, (text) => {
    const plain = readPlain(text);
    if (plain === undefined) return undefined;
    if (!Object.isFrozen(plain)) return `${text} is read to a value that can change`;
    const strict = readStrictly(text);
    const isSame = strict?.every((value) => JSON.stringify(value) === JSON.stringify(plain)) ?? false;
    return isSame
      ? undefined
      : `${text}\nis read as\n${JSON.stringify(plain)}\nand strictly as\n${JSON.stringify(strict)}`;
  });
}

describe.each(subjects)('$title', ({ operation, runs: most }) => {
  test.each(['input', 'output'] as const)('the %s is read as the strict readers read it', (side) => {
    expect(wronglyRead(operation[side], compilePlain(operation[side], limits), Math.ceil(most / 2))).toBeUndefined();
  });
});

/** Few members, so that changes meet each of them often. */
const small = object('Small', {
  count: optional(integer(0, 1_000, 1), ''),
  price: optional(decimal({ digits: 6, fraction: 2, example: '1' }), ''),
  names: optional(list(string({ example: 'a' }), 'name', { max: 3 }), ''),
});

/** Lists without items are values in one field, and absent in the others. */
const listsWith = (options: { readonly mandatoryInStubs?: 'empty' }) => {
  const numbers = list(integer(0, 9, 1), 'number', { max: 3, whenEmpty: 'present' });
  return object('Lists', {
    sent: optional(numbers, ''),
    written: optional(numbers, '', options),
    absent: optional(list(integer(0, 9, 1), 'number', { max: 3 }), ''),
  });
};

/** A value of any form. */
const any = object('Any', {
  before: optional(string({ example: 'a' }), ''),
  any: optional(string({ json: 'value', max: 1_000, example: '{"a":[1,{"b":"c"}]}' }), ''),
  after: optional(integer(0, 1_000, 1), ''),
});

describe('the fast JSON reader', () => {
  const { operation } = subjects.find(({ operation: { name } }) => name === 'storeInvoice')!;
  const schema = operation.input;

  test('accepts most messages without escapes', () => {
    const readPlain = compilePlain(schema, limits);
    const print = compilePrint(schema, utc);
    const texts = fc
      .sample(arbitrary(schema), { seed: 1, numRuns: runs })
      .map(print)
      .filter((text) => !text.includes('\\'));
    const accepted = texts.filter((text) => readPlain(text) !== undefined).length;
    expect(accepted).toBeGreaterThan(texts.length / 2);
  });

  test('reads lists without items as the strict readers read them', () => {
    const lists = listsWith({ mandatoryInStubs: 'empty' });
    const readStrictly = strictReader(lists);
    const parts = ['sent', 'written', 'absent'].map((name) => ['', `"${name}":[],`, `"${name}":[1],`]);
    const [first = [], second = [], third = []] = parts;
    const texts = first.flatMap((a) => second.flatMap((b) => third.map((c) => `{${`${a}${b}${c}`.slice(0, -1)}}`)));
    const isRead = (read: ReadPlain) => (text: string) => {
      const plain = read(text);
      return plain === undefined || JSON.stringify(readStrictly(text)?.[0]) === JSON.stringify(plain);
    };
    const read = compilePlain(lists, limits);
    expect(read('{"sent":[],"written":[],"absent":[]}')).toEqual({ sent: [] });
    expect(texts.every(isRead(read))).toBe(true);
    // Control: a reader that takes each such list for a value.
    expect(texts.every(isRead(compilePlain(listsWith({}), limits)))).toBe(false);
  });

  test('reads an object or an array of any form as the strict readers read it', () => {
    const read = compilePlain(any, limits);
    expect(read('{"any":{"b": [1, 2.50], "10":{"x":"]}"}},"after":7}')).toEqual({
      any: '{"10":{"x":"]}"},"b":[1,2.50]}',
      after: 7,
    });
    expect(wronglyRead(any, read, 20 * runs)).toBeUndefined();
    // Control: a reader that does not look for members of one name.
    expect(wronglyRead(any, (text) => read(lastOfEach(text)), 20_000)).toBeDefined();
  });

  test('leaves values of any form that are too deep or too large to the strict reader', () => {
    const read = compilePlain(any, limits);
    const nested = (depth: number) => `{"any":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    expect(read(nested(limits.depthMax - 1))).toBeDefined();
    expect(read(nested(limits.depthMax))).toBeUndefined();
    const many = (count: number) => JSON.stringify({ any: new Array<number>(count).fill(1) });
    expect(read(many(400))).toBeDefined();
    expect(compilePlain(any, { ...limits, membersMax: 300 })(many(400))).toBeUndefined();
  });

  test('leaves more members than a request may have to the strict reader', () => {
    const many = object('Many', { names: optional(list(string({ example: 'a' }), 'name', { max: 9_000 }), '') });
    const read = compilePlain(many, limits);
    const namesOf = (count: number) => JSON.stringify({ names: new Array<string>(count).fill('a') });
    expect(read(namesOf(limits.membersMax - 1))).toBeDefined();
    expect(read(namesOf(limits.membersMax))).toBeUndefined();
    expect(parseText(namesOf(limits.membersMax + 1), limits)).toMatchObject({ fault: expect.any(String) });
  });

  test.each<[string, (read: ReadPlain) => ReadPlain]>([
    ['that reads the last member of a name', (read) => (text) => read(lastOfEach(text))],
    ['that ignores what follows', (read) => (text) => read(text.slice(0, text.lastIndexOf('}') + 1))],
    ['that accepts leading zeros', (read) => (text) => read(text.replace(/:0+(?=\d)/g, ':'))],
    ['that reads null in a list', (read) => (text) => read(text.replaceAll('null,', ''))],
  ])('seeded defect: a reader %s is found', (_, defect) => {
    // The search ends with the first one.
    expect(wronglyRead(small, defect(compilePlain(small, limits)), 100_000)).toBeDefined();
  });

  function lastOfEach(text: string): string {
    try {
      return JSON.stringify(JSON.parse(text));
    } catch {
      return text;
    }
  }
});
