/** What needs the attention of an operator, with the view that shows more of it. */
import { operation } from '../../contract/operation.ts';
import { boolean, list, object, oneOf, optional, required, string } from '../../contract/schema.ts';
import { roles } from '../roles.ts';

const text = string({ max: 1_000, example: '3 webhooks could not be delivered.' });

const item = object('AttentionItem', {
  level: required(oneOf('AttentionLevel', 'bad', 'warning'), '`bad`: something does not work now.'),
  text: required(text, 'What it is about.'),
  path: optional(
    string({ max: 200, example: '/state/webhooks' }),
    'The address of a view with more, below `/console`.',
  ),
});

export const listAttention = operation({
  name: 'listAttention',
  http: { method: 'GET', path: '/overview/attention' },
  doc: 'Returns what needs the attention of an operator: dead letters, open breakers, expiring certificates, locked log-ins.',
  effect: 'reads',
  role: roles.read,
  problems: [],
  input: object('ListAttention', {}),
  output: object('Attention', {
    isComplete: required(boolean(true), 'Whether every check was possible.'),
    items: required(list(item, 'AttentionItem', { max: 100 }), 'The worst first.'),
  }),
});
