/** A service whose messages have objects in objects of their own kind. */
import { operation } from '../../src/core/contract/operation.ts';
import { recursive, self } from '../../src/core/contract/recursive.ts';
import { integer, list, object, optional, required, string } from '../../src/core/contract/schema.ts';
import { service } from '../../src/core/contract/service.ts';

const text = string({ max: 20, example: 'text' });

/** Folders in a folder, and in a part of it. */
const folder = recursive(
  object('Folder', {
    no: optional(integer(0, 9, 1), 'The number.', { xml: 'attribute' }),
    folders: optional(list(self('Folder'), 'Folder', { max: 4 }), 'The folders in it.'),
    link: optional(
      object('Link', { target: optional(self('Folder'), 'What it shows.'), title: required(text, 'The title.') }),
      'A link.',
    ),
    name: required(text, 'The name.'),
  }),
);

/** Objects in a member and in repeated ones. */
const rule = recursive(
  object(
    'Rule',
    {
      all: optional(list(self('Rule', 'rules'), 'all', { max: 2, repeated: true }), 'Rules.', { nillable: false }),
      not: optional(self('Rule', 'rules'), 'Another rule.', { nillable: false }),
      value: required(string({ pattern: '[a-z]{1,9}', example: 'a' }), 'The value.'),
    },
    { namespace: 'rules' },
  ),
);

export const treesV1 = service({
  version: 1,
  answers: { from: 1, to: 1 },
  roles: ['trees'],
  name: 'Trees',
  doc: 'Trees.',
  address: '/trees',
  legacy: { adapter: '/trees/form' },
  namespaces: { own: 'own', uris: { own: 'urn:example:trees', rules: 'urn:example:rules' } },
  soapStyle: 'wrapped',
  operations: [
    operation({
      name: 'plant',
      doc: 'Plants a tree.',
      effect: 'writes',
      role: 'trees',
      problems: [],
      input: object('PlantRequest', { root: optional(folder, 'The tree.'), rule: optional(rule, 'A rule.') }),
      output: object('PlantResponse', { root: optional(folder, 'The tree.'), rule: optional(rule, 'The rule.') }),
    }),
  ],
});
