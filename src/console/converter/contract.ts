/** The converter: reads a message of any format, and writes it in the others. */
import { boolean, integer, list, object, oneOf, optional, required, string } from '../../core/contract/index.ts';
import { protocolNames } from '../../core/formats/index.ts';
import { reads } from '../../operators/index.ts';

export const name = string({ max: 200, example: 'placeOrder' });
export const text = string({ max: 4000, example: 'Returns an order.' });
/** A message, and what is made of it. */
export const messageText = string({ max: 2_000_000, example: '{"order":"A-1"}' });
export const version = integer(1, 9999, 1);
export const format = oneOf('WireFormat', ...protocolNames);

/** What names an operation. */
export const names = {
  service: required(name, 'The service.'),
  version: required(version, 'A version that the service answers.'),
  operation: required(name, 'The operation.'),
};

const place = {
  start: optional(integer(0, 10_000_000, 0), 'The first character in the text, in UTF-16 units from 0.'),
  end: optional(integer(0, 10_000_000, 4), 'The character after the last one.'),
  line: optional(integer(1, 10_000_000, 1), 'The line, from 1.'),
  column: optional(integer(1, 10_000_000, 1), 'The column in characters, from 1.'),
  isMissing: optional(boolean(true), 'The field is missing: the place is that of what it belongs into.'),
};

const messageIssue = object('MessageIssue', {
  field: required(text, 'The path of the field: its names and indices, joined by slashes.'),
  at: required(text, 'The field in the coordinates of the format.'),
  code: required(name, 'The code of the error.'),
  message: required(text, 'What is wrong.'),
  ...place,
});

const messageChange = object('MessageChange', {
  at: required(text, 'The field in the coordinates of the format.'),
  doc: required(text, 'What changes.'),
  before: optional(messageText, 'The value in the message.'),
  after: optional(messageText, 'The value that is read.'),
  in: optional(format, 'The format that cannot hold the value; absent where reading changes it.'),
  ...place,
});

/** A message in one of the formats. */
export const shownMessage = object('ShownMessage', {
  format: required(format, 'The format.'),
  method: optional(name, 'Of a request.'),
  path: optional(messageText, 'Of a request, with its query.'),
  status: optional(integer(100, 999, 200), 'Of an answer.'),
  contentType: optional(name, 'The media type of the body.'),
  text: required(messageText, 'The body; for the format rest, a whole request.'),
  issues: optional(list(messageIssue, 'MessageIssue', { max: 100 }), 'The issues, where they stand in this text.'),
});

/** The text of a message in a request. */
export const givenText = {
  text: optional(
    messageText,
    'The message, or a draft as JSON; absent where it is empty, such as a form without pairs.',
  ),
  isBase64: optional(boolean(false), 'The text is UTF-8 in base64: it has characters that XML excludes.'),
};

export const editMessage = reads(
  'editMessage',
  'POST /explorer/messages',
  'Reads a message of any format, says what it is and what is wrong with it, and returns it in the other formats. Keeps nothing.',
  {
    service: optional(name, 'The service, where the message does not say it.'),
    version: optional(version, 'The version of the service.'),
    operation: optional(name, 'The operation.'),
    from: optional(oneOf('EditedFormat', 'fields', ...protocolNames), 'The format; `fields` for a draft.'),
    side: optional(oneOf('MessageSide', 'request', 'answer'), 'What it is, where the message does not say it.'),
    ...givenText,
  },
  object('EditedMessage', {
    kind: required(
      oneOf('MessageKind', 'request', 'answer', 'error', 'malformed', 'unnamed'),
      'What the message is; `unnamed` where it does not say it.',
    ),
    error: optional(text, 'Why the message cannot be read.'),
    service: optional(name, 'The service.'),
    version: optional(version, 'The version of its contract.'),
    operation: optional(name, 'The operation.'),
    format: optional(format, 'The format of the message.'),
    indented: optional(messageText, 'The message itself on several lines, where it has fewer.'),
    draft: optional(messageText, 'The fields of a request, as JSON.'),
    canonical: optional(messageText, 'What handlers see, as JSON. Absent with issues.'),
    ...place,
    issues: optional(
      list(messageIssue, 'MessageIssue', { max: 100 }),
      'What is wrong, where it stands in the message.',
    ),
    changes: optional(list(messageChange, 'MessageChange', { max: 10_000 }), 'What the conversion changes.'),
    messages: optional(list(shownMessage, 'ShownMessage', { max: 10 }), 'The message in all formats.'),
  }),
  ['notFound'],
);
