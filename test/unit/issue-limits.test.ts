/** Tests that reading a message ends where its report of issues is full, in every wire format. */
import { describe, expect, test } from '@jest/globals';
import { compileRead, IssueCollector, type Reader } from '../../src/core/contract/read.ts';
import { list, object, optional, required, string } from '../../src/core/contract/schema.ts';
import { type Node, treeOf } from '../../src/core/formats/form/parse.ts';
import { reader as formReader } from '../../src/core/formats/form/read.ts';
import { reader as jsonReader } from '../../src/core/formats/json/read.ts';
import { createReader } from '../../src/core/formats/soap/read.ts';
import type { Element } from '../../src/core/xml/element.ts';

const name = string({ max: 5, example: 'a' });
const item = object('Item', { name: required(name, '') });
const schema = object('In', {
  name: required(name, ''),
  items: optional(list(item, 'item', { max: 1_000 }), ''),
});
const unknownNames = Array.from({ length: 1_000 }, (_, at) => `unknown${at}`);
const element = (local: string, children: readonly Element[], text = ''): Element => ({
  namespace: '',
  local,
  attributes: [],
  children,
  text,
});

/** Counts the members that a reader hands over. */
function counting<N>(reader: Reader<N>): { readonly reader: Reader<N>; readonly count: () => number } {
  let visited = 0;
  const counted: Reader<N> = {
    ...reader,
    eachMember: (node, visit, of) =>
      reader.eachMember(
        node,
        (each, child) => {
          visited += 1;
          return visit(each, child);
        },
        of,
      ),
  };
  return { reader: counted, count: () => visited };
}

function read<N>(reader: Reader<N>, node: N) {
  const counted = counting(reader);
  const collector = new IssueCollector();
  compileRead(schema, counted.reader)(node, collector);
  return { issues: collector.issues, visited: counted.count() };
}

function formTree(names: readonly string[]): Node {
  const parsed = treeOf(names.map((each) => [each, 'x']));
  if ('fault' in parsed) throw new Error(parsed.fault);
  return parsed.tree;
}

describe.each([
  ['JSON', (names: readonly string[]) => read(jsonReader, Object.fromEntries(names.map((each) => [each, 'x'])))],
  ['FORM', (names: readonly string[]) => read(formReader, formTree(names))],
  [
    'SOAP',
    (names: readonly string[]) =>
      read(
        createReader(() => true),
        element(
          'In',
          names.map((each) => element(each, [], 'x')),
        ),
      ),
  ],
])('%s', (_, readNames) => {
  test('of 1,000 unknown members, 50 are looked at', () => {
    const { issues, visited } = readNames(unknownNames);
    expect(issues).toHaveLength(50);
    expect(visited).toBe(50);
    expect(new Set(issues.map(({ kind }) => kind.name))).toEqual(new Set(['unknownField']));
  });

  test('fewer are all looked at, and members of the contract after them are read', () => {
    const { issues, visited } = readNames([...unknownNames.slice(0, 49), 'name']);
    expect(issues).toHaveLength(49);
    expect(visited).toBe(50);
  });
});

test('of 1,000 wrong items, 50 are looked at', () => {
  const { issues, visited } = read(jsonReader, { name: 'a', items: Array(1_000).fill({ name: 'too long' }) });
  expect(issues).toHaveLength(50);
  // The members of the request itself are two.
  expect(visited).toBe(52);
});
