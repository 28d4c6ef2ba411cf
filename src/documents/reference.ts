/** The reference in Markdown: an index with a table of problems, and a page for each operation. */

import {
  boundOperations,
  conventionsOf,
  isBound,
  keyDaysMax,
  keyHeader,
  keyLengthMax,
  locationOf,
  namedOperations,
  newestOf,
  type ObjectSchema,
  type Operation,
  operationAddress,
  type ProblemKind,
  problems,
  problemsOf,
  replayedHeader,
  rolesFor,
  type Service,
  serviceAddress,
  splitByLocation,
  transientHeader,
  versionsOf,
} from '../core/contract/index.ts';
import { exampleOf } from './example.ts';
import { boundProblemTable, code, namedProblemTable, readable, records, row, type Sent, table } from './markdown.ts';
import { refusalsOf } from './refusals.ts';
import { versionTable } from './version-table.ts';

/** Prints the examples of one format; a protocol is one. */
export interface Printer {
  readonly name: string;
  /** The heading of its examples. */
  readonly title: string;
  carries(operation: Operation, service: Service): boolean;
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

/** The operations that callers name, of the newest versions, as files of one folder. `services`: every version. */
export function referencePages(services: readonly Service[], printers: readonly Printer[]): readonly Page[] {
  return [
    { file: 'README.md', text: namedIndex(services) },
    ...newestOf(services).flatMap((service) =>
      namedOperations(service).map((operation) => ({
        file: pageFile(operation),
        text: operationPage(service, operation, printers, services),
      })),
    ),
  ];
}

/** The operations of one service with an HTTP binding, as files of one folder. */
export function boundReferencePages(service: Service, printer: Printer): readonly Page[] {
  return [
    { file: 'README.md', text: boundIndex(service) },
    ...boundOperations(service).map((operation) => ({
      file: `${operation.name}.md`,
      text: operationPage(service, operation, [printer], [service]),
    })),
  ];
}

function operationPage(
  service: Service,
  operation: Operation,
  printers: readonly Printer[],
  services: readonly Service[],
): string {
  const { name, doc, input, output, http } = operation;
  const request = [...parameterTable(input), ...bodyTables(input, 'input')];
  return page(
    `# ${name}`,
    doc,
    `${callText(service, operation)} ${roleText(service, operation)}`,
    ...(http?.method === 'PATCH' ? [patchText] : []),
    '## Request',
    ...(request.length > 0 ? request : ['The operation has no parameters.']),
    ...transitionTable(operation),
    '## Response',
    ...bodyTables(output, 'output'),
    ...(operation.effect === 'writes' && !isBound(operation) ? ['## Retries', retryText] : []),
    '## Errors',
    problemTable(service, operation),
    ...examples(service, operation, printers, services),
  );
}

function roleText(service: Service, operation: Operation): string {
  const [role, ...sets] = rolesFor(service, operation).map(code);
  const contained = sets.length === 0 ? '' : `, which ${sets.join(' and ')} contains`;
  return `The caller needs the role ${role}${contained}.`;
}

function callText(service: Service, operation: Operation): string {
  const call = code(`${operation.http?.method ?? 'POST'} ${operationAddress(service, operation)}`);
  return isBound(operation) ? `${call}.` : `${call} in JSON or FORM; in SOAP at ${code(serviceAddress(service))}.`;
}

const patchText =
  'Fields that are absent or null stay as they are. `metadata` is replaced as a whole; an empty object removes all entries.';

const retryText =
  `The header ${code(keyHeader)} (1 to ${keyLengthMax} printable characters; use a random UUID) makes retries safe. ` +
  `A request sent again with the same key within ${keyDaysMax} days, in any format, has no second effect. It returns the first response, with ${code(`${replayedHeader}: true`)}. ` +
  'Callers that cannot set headers send the key as the `MessageID` of WS-Addressing, or as the form field `idempotencyKey`. ' +
  `An error with ${code(`${transientHeader}: true`)} allows the same request to be sent again.`;

/** The fields outside the body. */
function parameterTable({ fields }: ObjectSchema): readonly string[] {
  const outside = Object.entries(fields).filter(([, field]) => locationOf(field) !== 'body');
  const rows = outside.map(([name, field]) => {
    const [, ...cells] = row([name, field]);
    return [code(field.header ?? name), locationOf(field), ...cells];
  });
  return rows.length === 0 ? [] : [table(['Parameter', 'Where', 'Type', 'Required', 'Rule'], rows)];
}

function bodyTables(schema: ObjectSchema, side: 'input' | 'output'): readonly string[] {
  const { body } = splitByLocation(schema);
  return Object.keys(body.fields).length === 0 ? [] : records(body, side);
}

function transitionTable({ transitions = {} }: Operation): readonly string[] {
  const rows = Object.entries(transitions).flatMap(([from, next]) => {
    const reasons = Object.entries(next);
    return reasons.length === 0
      ? [[code(from), 'nothing', 'It is final.']]
      : reasons.map(([to, reason = '']) => [code(from), code(to), reason]);
  });
  return rows.length === 0 ? [] : ['## Transitions', transitionText, table(['From', 'To', 'Reason'], rows)];
}

const transitionText = 'The changes of `status` that are accepted. The present status again is no change.';

function problemTable(service: Service, operation: Operation): string {
  const kinds = refusalsOf(service, operation);
  return isBound(operation) ? boundProblemTable(kinds, conventionsOf([service])) : namedProblemTable(kinds);
}

function examples(
  service: Service,
  operation: Operation,
  printers: readonly Printer[],
  services: readonly Service[],
): readonly string[] {
  const heading = isBound(operation)
    ? ['## Example', 'The example has every field. Its line breaks are added for reading.']
    : ['## Examples', 'The examples have every field. Their line breaks are added for reading.'];
  return [
    ...heading,
    ...printers.flatMap((printer) => {
      const shown = printer.carries(operation, service) ? service : newestCarrying(services, service, printer);
      // An older version may lack the operation.
      const carried = shown?.operations.get(operation.name);
      if (shown === undefined || carried === undefined || isBound(carried) !== isBound(operation)) return [];
      const version = shown === service ? '' : `, version ${shown.version}`;
      const heading = isBound(operation) ? [] : [`### ${printer.title}${version}`];
      return [...heading, ...example(shown, carried, printer)];
    }),
  ];
}

/** The newest version with messages in a format, such as that of an older address. */
function newestCarrying(services: readonly Service[], { name }: Service, printer: Printer): Service | undefined {
  return services.findLast(
    (each) => each.name === name && [...each.operations.values()].some((one) => printer.carries(one, each)),
  );
}

function example(service: Service, operation: Operation, printer: Printer): readonly string[] {
  const call = printer.encodeRequest(service, operation, exampleOf(operation.input, 'full'));
  const answer = printer.encode(operation, exampleOf(operation.output, 'full'));
  const head = code(`${call.method ?? 'POST'} ${call.path}`);
  const callHeaders = headerText(call.headers);
  const sent =
    call.body === ''
      ? [`${head}${callHeaders}`]
      : [`${head} with ${code(`Content-Type: ${call.contentType}`)}${callHeaders}:`, readable(call)];
  return [...sent, `Response${headerText(answer.headers).replace(/^,/, ', with')}:`, readable(answer)];
}

function headerText(headers: Readonly<Record<string, string>> = {}): string {
  return Object.entries(headers)
    .map(([name, value]) => `, ${code(`${name}: ${value}`)}`)
    .join('');
}

function namedIndex(services: readonly Service[]): string {
  const lists = newestOf(services).flatMap((service) => {
    const { name, version, doc } = service;
    const items = namedOperations(service).map((each) => `- [${each.name}](${pageFile(each)}): ${each.doc}`);
    const versions = services.filter((each) => each.name === name);
    return [`## ${name}, version ${version}`, doc, items.join('\n'), ...versionTable(versions)];
  });
  return page(
    '# Reference',
    'Each operation accepts SOAP, JSON and FORM, and responds in the format of the request. An empty text, an empty object, ' +
      'null and nil mean that a field is absent. Empty references are an error.',
    ...lists,
    '## Problems',
    'The statuses are those of JSON and FORM. In SOAP and the form adapter the text of an error is `{type} {code} {message}`, ' +
      'and its status is 500; in SOAP 1.2 it is 400 if the sender can correct the request. Problems of the HTTP request keep ' +
      'their status in every format: 401, an unknown address (404), 405, 408, 413, 415 and requests that are not valid HTTP (400).',
    namedProblemTable(namedProblems(services)),
  );
}

function boundIndex(service: Service): string {
  const { name, version, doc } = service;
  const operations = boundOperations(service);
  const rows = operations.map((each) => [
    code(`${each.http.method} ${each.http.path}`),
    `[${each.name}](${each.name}.md)`,
    each.doc,
  ]);
  const kinds = new Set(operations.flatMap((each) => refusalsOf(service, each)));
  return page(
    `# ${name}, version ${version}`,
    `${doc} Paths are relative to ${code(serviceAddress(service))}. Versions with this contract: ${versionsOf(service).map(code).join(' and ')}.`,
    table(['Call', 'Operation', 'Description'], rows),
    '## Problems',
    'An error is a JSON object with `type`, `title`, `status`, `detail`, `requestId`, `instance`, `errorCode` and, for errors ' +
      'in fields, `invalidFields`: every such field, with `name` (its steps joined by dots), `message` and `value`. `instance` ' +
      'is the reference of the request as a URI.',
    boundProblemTable(
      [...problemsOf(service).values()].filter((each) => kinds.has(each)),
      conventionsOf([service]),
    ),
  );
}

/** Every problem of the services; an empty body is a problem only where a method and a path name the operation. */
function namedProblems(services: readonly Service[]): readonly ProblemKind[] {
  const kinds = new Set(services.flatMap((service) => [...problemsOf(service).values()]));
  return [...kinds].filter((kind) => kind !== problems.emptyRequest);
}

function pageFile({ name }: Operation): string {
  return `${name}.md`;
}

function page(...blocks: readonly string[]): string {
  return `${blocks.join('\n\n')}\n`;
}
