/** Which operations of a service a mock takes for those of one resource, and by which member. */
import { describe, expect, test } from '@jest/globals';
import type { HttpBinding, Operation, UpstreamBinding } from '../../src/core/contract/operation.ts';
import {
  type Fields,
  integer,
  list,
  object,
  operation,
  optional,
  required,
  service,
  string,
} from '../../src/program/api/contract.ts';
import { actions, findResources } from '../../src/program/testing/mock/resources.ts';

const text = string({ max: 40, example: 'text' });
const fields = (...names: readonly string[]): Fields => Object.fromEntries(names.map((name) => [name, required(text)]));
const item = object('Item', { ...fields('id', 'title'), count: optional(integer()) });
const items = { items: optional(list(item, 'item', { max: 10 })) };

interface Declared {
  readonly input?: Fields;
  readonly output?: Fields;
  readonly effect?: 'reads' | 'writes';
  readonly upstream?: UpstreamBinding;
  readonly http?: HttpBinding;
}

function declare(operations: Readonly<Record<string, Declared>>) {
  const declared: readonly Operation[] = Object.entries(operations).map(
    ([name, { input, output, effect, ...binding }]) =>
      operation({
        ...{ name, doc: '', effect: effect ?? 'writes', role: 'all', problems: [], ...binding },
        input: object(`${name}Request`, input ?? {}),
        output: object(`${name}Result`, output ?? {}),
      }),
  );
  return service({
    ...{ name: 'Things', version: 1, doc: '', address: '/things', answers: { from: 1, to: 1 }, roles: ['all'] },
    namespaces: { own: 't', uris: { t: 'urn:example:things' } },
    soapStyle: 'wrapped',
    operations: declared,
  });
}

/** Each resource as `name(ids): create=...`. */
function found(operations: Readonly<Record<string, Declared>>): readonly string[] {
  return findResources(declare(operations)).map((resource) => {
    const parts = actions.flatMap((action) => {
      const names = [...resource.actions].filter(([, each]) => each === action).map(([name]) => name);
      return names.length === 0 ? [] : [`${action}=${names.join('+')}`];
    });
    return `${resource.name}(${resource.ids.map(({ name }) => name).join()}): ${parts.join(' ')}`;
  });
}

const one = { output: fields('id', 'title') };

describe('by names', () => {
  test.each<[string, Readonly<Record<string, Declared>>, readonly string[]]>([
    [
      'verb and noun, with a plural for the list',
      {
        createItem: { input: fields('title'), output: fields('id') },
        getItem: { input: fields('id'), ...one },
        updateItem: { input: fields('id', 'title') },
        deleteItem: { input: fields('id') },
        getItems: { output: items },
      },
      ['item(id): create=createItem read=getItem update=updateItem delete=deleteItem list=getItems'],
    ],
    [
      'words with underscores, by, all, and an id that has the name of the noun',
      {
        add_item: { input: fields('title') },
        find_item_by_id: { input: fields('item_id', 'session_id'), ...one },
        list_all_items: { output: items },
      },
      ['item(item_id): create=add_item read=find_item_by_id list=list_all_items'],
    ],
    [
      'the verb behind the noun',
      {
        catalogProductCreate: { input: fields('sku') },
        catalogProductInfo: { input: fields('sku'), output: fields('sku', 'title') },
        catalogProductList: { output: items },
      },
      // The list of other things has no SKU, and counts nevertheless.
      ['catalogProduct(sku): create=catalogProductCreate read=catalogProductInfo list=catalogProductList'],
    ],
    [
      'capitals, and a number as id in a wrapper',
      {
        SubmitPO: { input: { po: required(object('PO', fields('title'))) } },
        RetrievePODetails: { input: { request: required(object('R', fields('PONumber', 'Lang'))) }, ...one },
      },
      ['po(PONumber): create=SubmitPO read=RetrievePODetails'],
    ],
    ['nothing changes it', { getItem: { input: fields('id'), ...one }, getItems: { output: items } }, []],
    ['nothing returns it', { createItem: { input: fields('id') }, deleteItem: { input: fields('id') } }, []],
    [
      'nothing tells one from the other',
      { addItem: { input: fields('title') }, getItem: { input: fields('lang', 'currency'), ...one } },
      [],
    ],
    ['verbs of other nouns', { addItem: { input: fields('id') }, getOrder: { input: fields('id'), ...one } }, []],
    [
      'an operation that reads, by its contract',
      { createItem: { input: fields('id'), effect: 'reads' }, getItem: { input: fields('id'), ...one } },
      [],
    ],
    [
      'an operation that names none is of something else',
      {
        createItem: { input: fields('title') },
        getItem: { input: fields('id'), ...one },
        updateItem: { input: fields('title') },
      },
      ['item(id): create=createItem read=getItem'],
    ],
    ['no verb', { Convert: { input: fields('id'), ...one }, status: {} }, []],
  ])('%s', (_, operations, expected) => {
    expect(found(operations)).toEqual(expected);
  });
});

test('by paths, with the ids in them, and a search beside them', () => {
  const at = (method: UpstreamBinding['method'], path: string) => ({ upstream: { method, path } });
  expect(
    found({
      a: { input: fields('shop', 'title'), output: fields('id'), ...at('POST', '/shops/{shop}/items') },
      b: { input: fields('shop', 'id'), ...one, ...at('GET', '/shops/{shop}/items/{id}') },
      c: { input: fields('shop', 'id', 'title'), ...at('PATCH', '/shops/{shop}/items/{id}') },
      d: { input: fields('shop', 'id'), ...at('DELETE', '/shops/{shop}/items/{id}') },
      e: { input: fields('shop'), output: items, ...at('GET', '/shops/{shop}/items') },
      findItemsByTitle: { input: fields('title'), output: items, ...at('GET', '/items/findByTitle') },
      ship: { input: fields('id'), ...at('POST', '/items/{id}/ship') },
    }),
  ).toEqual(['item(shop,id): create=a read=b update=c delete=d list=e+findItemsByTitle']);
});
