/** The reference in Markdown: an index with the table of problems, and a page for each operation. */
import type { Operation } from '../contract/operation.ts';
import { type ProblemName, problems, resourceProblems } from '../contract/problem.ts';
import { keyDaysMax, keyHeader, keyLengthMax, replayedHeader, transientHeader } from '../contract/retry.ts';
import { contractOf, namedOperations, operationAddress, type Service, serviceAddress } from '../contract/service.ts';
import { exampleOf } from './example.ts';
import { code, problemTable, readable, records, type Sent } from './markdown.ts';
import { refusalsOf } from './refusals.ts';

/** What prints the examples of one format; a protocol is one. */
export interface Printer {
  readonly name: string;
  encodeRequest(
    service: Service,
    operation: Operation,
    input: unknown,
  ): Sent & { readonly method?: string; readonly path: string; readonly headers?: Readonly<Record<string, string>> };
  encode(operation: Operation, output: unknown): Sent & { readonly headers: Readonly<Record<string, string>> };
}

export interface Page {
  readonly file: string;
  readonly text: string;
}

const formatTitles: Readonly<Record<string, string>> = {
  soap11: 'SOAP 1.1',
  soap12: 'SOAP 1.2',
  json: 'JSON',
  form: 'FORM',
  adapter: 'The form adapter',
};

const examples = (service: Service, operation: Operation, printer: Printer): string => {
  const call = printer.encodeRequest(service, operation, exampleOf(operation.input, 'full'));
  const answer = printer.encode(operation, exampleOf(operation.output, 'full'));
  return [
    `### ${formatTitles[printer.name] ?? printer.name}`,
    `${code(`POST ${call.path}`)} with ${code(`Content-Type: ${call.contentType}`)}:`,
    readable(call),
    'The answer:',
    readable(answer),
  ].join('\n\n');
};

const retryText =
  `With the header ${code(keyHeader)} (1 to ${keyLengthMax} printable characters, a random UUID at best) the request has its effect once: ` +
  `sent again with the same key within ${keyDaysMax} days, in any format, it gets the answer of the first time, with ${code(`${replayedHeader}: true`)}. ` +
  'Callers that cannot set headers give the key as the `MessageID` of WS-Addressing, or as the form field `idempotencyKey`. ' +
  `${code(`${transientHeader}: true`)} on a refusal says that the same may be sent again.`;

const operationPage = (service: Service, operation: Operation, printers: readonly Printer[]): string => {
  const { name, doc, input, output, role, effect } = operation;
  return `${[
    `# ${name}`,
    doc,
    `${code(`POST ${operationAddress(service, operation)}`)} in JSON or FORM; in SOAP at ${code(serviceAddress(service, service.version))}. ` +
      `The caller needs the role ${code(role)}.`,
    '## Request',
    ...records(input, 'input'),
    '## Answer',
    ...records(output, 'output'),
    ...(effect === 'writes' ? ['## Sending it again', retryText] : []),
    '## Refusals',
    problemTable(refusalsOf(operation)),
    '## Examples',
    'They show every field, and stand here with line breaks that the wire does not have.',
    ...printers.map((printer) => examples(service, operation, printer)),
  ].join('\n\n')}\n`;
};

/** Pages of a service's newest version have the plain names, which others link to; those of older ones tell the version. */
const pageFile = (services: readonly Service[], service: Service, operation: Operation): string =>
  contractOf(services, service.name) === service ? `${operation.name}.md` : `${operation.name}-v${service.version}.md`;

const indexPage = (services: readonly Service[]): string => {
  const lists = services.flatMap((service) => {
    const { name, version, doc } = service;
    const items = namedOperations(service).map(
      (each) => `- [${each.name}](${pageFile(services, service, each)}): ${each.doc}`,
    );
    return [`## ${name}, version ${version}`, doc, items.join('\n')];
  });
  return `${[
    '# Reference',
    'Each operation takes SOAP, JSON and FORM, and answers in the format it was asked in. An empty text, an empty object, ' +
      'null and nil are the same as leaving a field out, save for references, which are refused when empty.',
    ...lists,
    '## Problems',
    'Statuses are those of JSON and FORM. In SOAP and at the form adapter the text of a refusal is `{type} {code} {message}`.',
    problemTable((Object.keys(problems) as ProblemName[]).filter((each) => !Object.hasOwn(resourceProblems, each))),
  ].join('\n\n')}\n`;
};

/** The pages, as files of one folder. */
export const referencePages = (services: readonly Service[], printers: readonly Printer[]): readonly Page[] => [
  { file: 'README.md', text: indexPage(services) },
  ...services.flatMap((service) =>
    namedOperations(service).map((operation) => ({
      file: pageFile(services, service, operation),
      text: operationPage(service, operation, printers),
    })),
  ),
];
