/** The explorer: describes operations, converts what is being edited, and sends requests. */
import { boolean, integer, list, object, oneOf, optional, required, string } from '../../contract/schema.ts';
import { languageNames } from '../../convert/call-source.ts';
import { protocolNames } from '../../formats/index.ts';
import { acts, reads, values } from '../../operators/operation.ts';

const name = string({ max: 200, example: 'placeOrder' });
const text = string({ max: 4000, example: 'Returns an order.' });
/** A message, and what is made of it. */
const messageText = string({ max: 2_000_000, example: '{"order":"A-1"}' });
const version = integer(1, 9999, 1);
const format = oneOf('WireFormat', ...protocolNames);
const language = oneOf('Language', ...languageNames);

const names = {
  service: required(name, 'The service.'),
  version: required(version, 'A version that the service answers.'),
  operation: required(name, 'The operation.'),
};

const listedOperation = object('ListedOperation', {
  ...names,
  from: required(version, 'The oldest version that this contract answers.'),
  to: required(version, 'The newest version that this contract answers.'),
  isNewest: required(boolean(true), 'Whether the service has no newer version.'),
  effect: required(oneOf('OperationEffect', 'reads', 'writes'), 'Whether the operation changes data.'),
  doc: required(text, 'What it does.'),
});

const demoCredential = object('DemoCredential', {
  name: required(name, 'The name by which a request selects it.'),
  services: values(name, 'Service', 'The services with an operation that it authorizes.', 1000),
});

export const listExplorerOperations = reads(
  'listExplorerOperations',
  'GET /explorer/operations',
  'Lists the operations of every version of every service.',
  {},
  object('ExplorerOperations', {
    operations: values(listedOperation, 'ListedOperation', 'The operations.', 10_000),
    demoCredentials: values(demoCredential, 'DemoCredential', 'In the demo: the public credentials of callers.', 100),
  }),
);

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

export const describeExplorerOperation = reads(
  'describeExplorerOperation',
  'GET /explorer/operations/{service}/{version}/{operation}',
  'Returns the fields of an operation, with examples.',
  {
    service: required(name, 'The service.', { in: 'path' }),
    version: required(version, 'A version that the service answers.', { in: 'path' }),
    operation: required(name, 'The operation.', { in: 'path' }),
  },
  object('ExplorerOperation', {
    ...names,
    from: required(version, 'The oldest version that this contract answers.'),
    to: required(version, 'The newest version that this contract answers.'),
    effect: required(oneOf('OperationEffect', 'reads', 'writes'), 'Whether the operation changes data.'),
    role: required(name, 'The role that the caller needs.'),
    doc: required(text, 'What it does.'),
    formats: values(format, 'Format', 'The formats that carry it.', 10),
    fields: values(formField, 'FormField', 'The fields of its input, each before its parts.', 10_000),
    rules: optional(list(text, 'Rule', { max: 100 }), 'Rules between fields.'),
    minimal: required(messageText, 'A draft with the required fields, as JSON.'),
    full: required(messageText, 'A draft with all fields, as JSON.'),
  }),
  ['notFound'],
);

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

const shownMessage = object('ShownMessage', {
  format: required(format, 'The format.'),
  method: optional(name, 'Of a request.'),
  path: optional(messageText, 'Of a request, with its query.'),
  status: optional(integer(100, 999, 200), 'Of an answer.'),
  contentType: optional(name, 'The media type of the body.'),
  text: required(messageText, 'The body; for the format rest, a whole request.'),
  issues: optional(list(messageIssue, 'MessageIssue', { max: 100 }), 'The issues, where they stand in this text.'),
});

const givenText = {
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

const program = object('Program', {
  language: required(language, 'The language.'),
  title: required(name, 'Its name.'),
  file: required(name, 'A name for the file.'),
  text: required(messageText, 'The program.'),
});

export const printPrograms = reads(
  'printPrograms',
  'POST /explorer/programs',
  'Returns a request as programs that send it. They read the credential from their environment.',
  {
    ...names,
    format: optional(format, 'The format that they send; by default JSON.'),
    credential: optional(
      oneOf('CredentialKind', 'apiKey', 'basic', 'none'),
      'How they authenticate; by default by an API key.',
    ),
    ...givenText,
  },
  object('Programs', {
    programs: optional(list(program, 'Program', { max: 20 }), 'The programs. None for a request with issues.'),
  }),
  ['notFound'],
);

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

export const explorerOperations = [
  listExplorerOperations,
  describeExplorerOperation,
  editMessage,
  printPrograms,
  sendExplorerRequest,
] as const;
