/** Sends a request to the port for callers. */
import { boolean, integer, list, object, optional, required, string } from '../../core/contract/index.ts';
import { acts, values } from '../../operators/index.ts';
import { format, givenText, messageText, name, names, shownMessage, text } from '../converter/contract.ts';

const secret = string({ max: 4000, sensitive: true, neverStored: true, example: 'secret' });

const header = object('AnswerHeader', {
  name: required(name, 'The name.'),
  value: required(text, 'The value.'),
});

const refusedField = object('RefusedMember', {
  field: required(text, 'The path of the field: its names and indices, joined by slashes.'),
  message: required(text, 'What is wrong.'),
});

export const sendExplorerRequest = acts(
  'sendExplorerRequest',
  'POST /explorer/requests',
  'Sends a request to the port for callers of this gateway, with the credential of a caller, and returns the answer. Sensitive members of the answer are masked. Keeps neither the credential nor the messages.',
  {
    ...names,
    format: required(format, 'The format.'),
    key: optional(string({ max: 100, example: 'a2f8' }), 'The Idempotency-Key.'),
    demoCredential: optional(name, 'The credential of the demo that the request has.'),
    apiKey: optional(secret, 'The API key that the request has.'),
    username: optional(
      string({ max: 200, sensitive: true, neverStored: true, example: 'user@example' }),
      'The user of a credential.',
    ),
    password: optional(secret, 'The password of the user.'),
    ...givenText,
  },
  object('ExplorerAnswer', {
    status: required(integer(100, 999, 200), 'The status.'),
    ms: required(integer(0, 1_000_000, 12), 'The time from the request to the end of the answer, in milliseconds.'),
    headers: values(header, 'AnswerHeader', 'The headers.', 100),
    reference: optional(
      string({ max: 200, example: 'ABCDEFGH12345678' }),
      'The reference of the request: its replays have the same one.',
    ),
    isReplayed: required(boolean(false), 'Whether the answer is that of an earlier request with the key.'),
    isMasked: required(boolean(false), 'Whether parts of the answer are masked.'),
    format: optional(format, 'The format of the answer.'),
    text: required(messageText, 'The body of the answer.'),
    messages: optional(list(shownMessage, 'ShownMessage', { max: 10 }), 'The same answer in all formats.'),
    refused: optional(list(refusedField, 'RefusedMember', { max: 100 }), 'The fields that an error names.'),
  }),
  { audited: ['service', 'version', 'operation', 'format', 'demoCredential'], problems: ['notFound', 'unavailable'] },
);
