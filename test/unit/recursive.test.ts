/** Objects that hold themselves, in everything that is compiled from a contract. */
import { describe, expect, test } from '@jest/globals';
import { describeOperation } from '../../src/console/form/describe-operation.ts';
import { draftOfValue } from '../../src/convert/draft/draft-of-value.ts';
import { operation } from '../../src/core/contract/operation.ts';
import { recursive, self } from '../../src/core/contract/recursive.ts';
import { maskSensitive } from '../../src/core/contract/redaction.ts';
import {
  list,
  type ObjectSchema,
  object,
  oneOf,
  optional,
  polymorphic,
  required,
  string,
} from '../../src/core/contract/schema.ts';
import { createTextFinder } from '../../src/core/contract/text-detector.ts';
import { partsIn } from '../../src/core/contract/walk.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import { canonicalRequestText } from '../../src/core/idempotency/canonical-request.ts';
import { exampleOf } from '../../src/documents/example.ts';
import { deriveOpenApi } from '../../src/documents/openapi.ts';
import { deriveWsdl } from '../../src/documents/wsdl.ts';
import { madeUpService } from '../support/made-up-service.ts';

const text = string({ max: 50, example: 'text' });

/** Objects with so many members that hold one of them, and as many that hold several. */
function filterOf(ways: number): ObjectSchema {
  const names = Array.from({ length: ways }, (_, at) => `way${at}`);
  const one = names.map((name) => [name, optional(self('Filter'), 'One.')] as const);
  const several = names.map(
    (name) => [`${name}s`, optional(list(self('Filter'), 'item', { max: 9 }), 'Several.')] as const,
  );
  return recursive(
    object('Filter', { field: optional(text, 'The name.'), ...Object.fromEntries([...one, ...several]) }),
  );
}

const searchOf = (filter: ObjectSchema) =>
  operation({
    name: 'search',
    doc: 'Searches.',
    effect: 'reads',
    role: 'r',
    problems: [],
    input: object('SearchRequest', { filter: optional(filter, 'The filter.') }),
    output: object('SearchResult', { filter: optional(filter, 'The filter.') }),
  });

const nested = (levels: number, deepest: object, around: (inner: object) => object): object =>
  levels === 1 ? deepest : around(nested(levels - 1, deepest, around));

test('an object that holds itself in many members is compiled once', () => {
  const search = searchOf(filterOf(20));
  const service = madeUpService('Search', search);
  const value = { filter: nested(30, { field: 'deepest' }, (inner) => ({ way19: { way5s: [inner] } })) };
  const heap = process.memoryUsage().heapUsed;
  const start = performance.now();
  const protocols = createProtocols([service]);
  for (const format of ['soap11', 'json', 'form'] as const)
    expect(protocols[format].encode(search, value).body).toContain('deepest');
  expect(deriveWsdl(service, { address: 'http://search.example/', soap12: true })).toContain('name="Filter"');
  expect(deriveOpenApi([service], 'http://search.example').components).toHaveProperty('schemas.Filter');
  expect(exampleOf(search.input, 'full')).toHaveProperty('filter.way0.field');
  expect(describeOperation(service, search).fields.length).toBeLessThan(5_000);
  expect(partsIn(search.input).length).toBeLessThan(200);
  expect(performance.now() - start).toBeLessThan(2_000);
  expect(process.memoryUsage().heapUsed - heap).toBeLessThan(100 * 2 ** 20);
});

describe('a secret at any depth', () => {
  const secret = string({ max: 50, example: 'secret', sensitive: true });
  const folder = recursive(
    object('Folder', {
      folders: optional(list(self('Folder'), 'folder', { max: 9 }), 'Folders.'),
      name: optional(text, 'The name.'),
      password: optional(secret, 'A secret.'),
    }),
  );
  const deepest = { name: 'card 4111111111111111', password: 'hunter2-and-more' };
  const value = nested(30, deepest, (inner) => ({ folders: [inner] }));

  test('is masked', () => {
    const masked = JSON.stringify(maskSensitive(folder, value));
    expect(masked).toContain('card');
    expect(masked).not.toContain('hunter2');
  });

  test('is found in a text', () => {
    const detector = { lengthMin: 12, detects: (each: string) => each.includes('4111'), mask: (each: string) => each };
    const [path, ...others] = createTextFinder(detector)(folder, value);
    expect([path?.length, path?.at(-1), others]).toEqual([59, 'name', []]);
  });

  test('is part of the canonical text and of a draft', () => {
    const put = { ...searchOf(folder), name: 'put' };
    const service = madeUpService('Folders', put);
    const input = { filter: value };
    expect(canonicalRequestText({ service, operation: put, input })).toContain('hunter2');
    expect(JSON.stringify(draftOfValue(put.input, input))).toBe(JSON.stringify(input));
  });
});

test('an example of a type of which the first value would not end has another one', () => {
  const typeName = (name: string) => required(oneOf(`${name}TypeName`, name), 'The type.', { xml: 'type' });
  const both = object('Both', {
    xsiType: typeName('Both'),
    left: required(self('Term'), 'A.'),
    right: required(self('Term'), 'B.'),
  });
  const leaf = object('Leaf', { xsiType: typeName('Leaf'), value: required(text, 'C.') });
  const term = recursive(polymorphic(object('Term', { xsiType: typeName('Term') }), [both, leaf], { abstract: true }));
  const one = { xsiType: 'Leaf', value: 'text' };
  expect(exampleOf(term, 'full')).toEqual({
    xsiType: 'Both',
    left: { xsiType: 'Leaf', value: 'text' },
    right: one,
  });
});
