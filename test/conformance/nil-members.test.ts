/** A nil member of a SOAP request is read as one that was left out: each member of each object, of every operation and version. */
import { describe, expect, test } from '@jest/globals';
import type { Operation } from '../../src/core/contract/operation.ts';
import { namedOperations, type Service } from '../../src/core/contract/service.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import { exampleOf } from '../../src/documents/example.ts';
import { services } from '../../src/payments/index.ts';
import { formats } from '../formats/index.ts';
import { outcomeOf } from '../support/exchange.ts';
import { type Loose, loosen, type Member } from '../support/lenient.ts';

const names = ['soap11', 'soap12'] as const;
const protocols = createProtocols(services);

const operations = services.flatMap((service) =>
  namedOperations(service).map((operation) => ({
    service,
    operation,
    title: `${service.name} v${service.version} ${operation.name}`,
  })),
);

/** The members of all objects in a tree. */
function membersIn(tree: Loose): readonly Member[] {
  switch (tree.kind) {
    case 'object':
      return tree.members.flatMap((member) => [member, ...membersIn(member.node)]);
    case 'list':
      return tree.items.flatMap(membersIn);
    case 'text':
    case 'nothing':
    case 'map':
      return [];
    default:
      return tree satisfies never;
  }
}

function without(tree: Loose, member: Member): Loose {
  if (tree.kind === 'list') return { ...tree, items: tree.items.map((item) => without(item, member)) };
  if (tree.kind !== 'object') return tree;
  const members = tree.members
    .filter((each) => each !== member)
    .map((each) => ({ name: each.name, node: without(each.node, member) }));
  return { ...tree, members };
}

function outcome(name: (typeof names)[number], service: Service, operation: Operation, tree: Loose) {
  const { contentType, path, print } = formats[name];
  const call = { path: path(service, operation), contentType, body: print(service, operation, tree) };
  return outcomeOf(protocols, name, call);
}

describe.each(names)('%s', (name) => {
  test.each(operations)('$title', ({ service, operation }) => {
    const tree = loosen(operation.input, exampleOf(operation.input, 'full'));
    const all = membersIn(tree);
    expect(all).not.toHaveLength(0);
    for (const member of all) {
      const { node } = member;
      const left = outcome(name, service, operation, without(tree, member));
      member.node = { kind: 'nothing' };
      expect([member.name, outcome(name, service, operation, tree)]).toEqual([member.name, left]);
      member.node = node;
    }
  });
});
