/** The fields of an operation, for a form. */
import { boolean, list, object, oneOf, optional, required } from '../../core/contract/index.ts';
import { messageText, name, text } from '../converter/contract.ts';

/** A field of an operation, for a form. */
export const formField = object('FormField', {
  path: required(text, 'Its names, joined by slashes; an asterisk for an item of a list or an entry of a map.'),
  kind: required(
    oneOf(
      'FieldKind',
      ...(['string', 'integer', 'decimal', 'double', 'boolean', 'dateTime', 'date', 'binary', 'enum'] as const),
      ...(['set', 'list', 'map', 'object'] as const),
    ),
    'The kind of its schema.',
  ),
  required: required(boolean(true), 'Whether a request must have it.'),
  doc: required(text, 'What it is.'),
  hint: optional(text, 'What its values are like.'),
  example: optional(messageText, 'A valid text.'),
  values: optional(list(name, 'Value', { max: 1000 }), 'The values of an enumeration or a set.'),
  sensitive: required(boolean(false), 'Whether it is masked in logs and answers.'),
  location: required(oneOf('FieldPlace', 'path', 'query', 'header', 'body'), 'Where a request has it.'),
});
