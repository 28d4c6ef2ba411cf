/** The explorer: describes operations, converts what is being edited, and sends requests. */

import { languageNames } from '../../convert/index.ts';
import { boolean, list, object, oneOf, optional, required } from '../../core/contract/index.ts';
import { reads, values } from '../../operators/index.ts';
import { editMessage, format, givenText, messageText, name, names, text, version } from '../converter/contract.ts';
import { formField } from '../form/contract.ts';
import { sendExplorerRequest } from '../sender/contract.ts';

const language = oneOf('Language', ...languageNames);

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

export const explorerOperations = [
  listExplorerOperations,
  describeExplorerOperation,
  editMessage,
  printPrograms,
  sendExplorerRequest,
] as const;
