/** Actions: everything that operators can do, as forms. The other views have the common ones at hand. */
import { list, object, oneOf, required } from '../../core/contract/index.ts';
import { reads, rows, text } from '../../operators/index.ts';
import { formField } from '../form/contract.ts';

const name = text(200, 'listCredentials');

export const listActions = reads(
  'listActions',
  'GET /actions',
  'Returns what operators can do, with the fields of each operation.',
  {},
  object('Actions', {
    actions: rows(
      'OperatorAction',
      {
        subject: required(name, 'What it is about.'),
        name: required(name, 'The name of the operation.'),
        effect: required(oneOf('ActionEffect', 'reads', 'writes'), 'Whether it changes something.'),
        doc: required(text(4_000, 'Returns the credentials.'), 'What it does.'),
        method: required(name, 'The method of its request.'),
        path: required(name, 'The path of its request; a name in braces is a field.'),
        fields: required(list(formField, 'FormField', { max: 1_000 }), 'Its fields.'),
        minimal: required(text(100_000, '{}'), 'A draft with the required fields, as JSON.'),
      },
      'The operations, by subject.',
    ),
  }),
);

export const actionOperations = [listActions] as const;
