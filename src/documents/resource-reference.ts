/** The reference of a service of resources in Markdown: an index with the table of problems, and a page for each operation. */
import { type BoundOperation, locationOf, splitByLocation } from '../contract/operation.ts';
import { type ProblemName, problems } from '../contract/problem.ts';
import { namesOf } from '../contract/problem-details.ts';
import type { Field, ObjectSchema } from '../contract/schema.ts';
import { boundOperations, type Service, serviceAddress, versionsOf } from '../contract/service.ts';
import { exampleOf } from './example.ts';
import { code, readable, records, row, table } from './markdown.ts';
import type { Page, Printer } from './reference.ts';
import { byStatus, printMessage, refusalsOfEndpoint } from './refusals.ts';

const problemTable = (names: readonly ProblemName[]): string => {
  const rows = [...byStatus(names).values()].flat().map((name) => {
    const { code: number, title } = namesOf(name);
    return [String(problems[name].status), number, title, printMessage(name)];
  });
  const distinct = [...new Map(rows.map((each) => [each.join('|'), each])).values()];
  return table(['Status', 'errorCode', 'title', 'detail'], distinct);
};

/** The fields that stand outside of the body. */
const parameters = (shape: ObjectSchema): readonly string[] => {
  const outside = Object.entries(shape.fields).filter(([, field]) => locationOf(field) !== 'body');
  const rows = outside.map(([name, field]: [string, Field]) => {
    const [, type, required, rule] = row([name, field]);
    return [code(field.header ?? name), locationOf(field), type!, required!, rule!];
  });
  return rows.length === 0 ? [] : [table(['Parameter', 'Where', 'Type', 'Required', 'Rule'], rows)];
};

const headerLines = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `, ${code(`${name}: ${value}`)}`)
    .join('');

const examples = (service: Service, endpoint: BoundOperation, printer: Printer): readonly string[] => {
  const call = printer.encodeRequest(service, endpoint, exampleOf(endpoint.input, 'full'));
  const answer = printer.encode(endpoint, exampleOf(endpoint.output, 'full'));
  const head = code(`${endpoint.http.method} ${call.path}`);
  const sent =
    call.body === ''
      ? [`${head}${headerLines(call.headers ?? {})}`]
      : [
          `${head} with ${code(`Content-Type: ${call.contentType}`)}${headerLines(call.headers ?? {})}:`,
          readable(call),
        ];
  return [...sent, `The answer${headerLines(answer.headers).replace(/^,/, ', with')}:`, readable(answer)];
};

const body = (shape: ObjectSchema, side: 'input' | 'output'): readonly string[] => {
  const part = splitByLocation(shape).body;
  return Object.keys(part.fields).length === 0 ? [] : records(part, side);
};

const changing =
  'What is left out, or null, stays as it is; `metadata` is replaced as a whole, and an empty one takes all entries away.';

const page = (service: Service, endpoint: BoundOperation, printer: Printer): Page => {
  const { name, doc, http, role, input, output } = endpoint;
  const { method, path } = http;
  const request = [...parameters(input), ...body(input, 'input')];
  const text = [
    `# ${name}`,
    doc,
    `${code(`${method} ${serviceAddress(service)}${path}`)}. The caller needs the role ${code(role)}.`,
    ...(method === 'PATCH' ? [changing] : []),
    '## Request',
    ...(request.length > 0 ? request : ['It has no parameters.']),
    '## Answer',
    ...body(output, 'output'),
    '## Refusals',
    problemTable(refusalsOfEndpoint(endpoint)),
    '## Example',
    'It shows every field, and stands here with line breaks that the wire does not have.',
    ...examples(service, endpoint, printer),
  ];
  return { file: `${name}.md`, text: `${text.join('\n\n')}\n` };
};

const index = (service: Service): Page => {
  const { name, version, doc } = service;
  const endpoints = boundOperations(service);
  const rows = endpoints.map((each) => [
    code(`${each.http.method} ${each.http.path}`),
    `[${each.name}](${each.name}.md)`,
    each.doc,
  ]);
  const names = new Set(endpoints.flatMap(refusalsOfEndpoint));
  const text = [
    `# ${name}, version ${version}`,
    `${doc} Paths stand below ${code(serviceAddress(service))}; ${versionsOf(service).map(code).join(' and ')} are answered alike.`,
    table(['Call', 'Operation', 'What it does'], rows),
    '## Problems',
    'A refusal is a JSON object with `type`, `title`, `status`, `detail`, `requestId`, `errorCode` and, where fields are wrong, ' +
      '`invalidFields`: every wrong field at once, each with `name` (its steps joined by dots), `message` and `value`.',
    problemTable((Object.keys(problems) as ProblemName[]).filter((each) => names.has(each))),
  ];
  return { file: 'README.md', text: `${text.join('\n\n')}\n` };
};

/** The pages, as files of one folder. */
export const resourceReferencePages = (service: Service, printer: Printer): readonly Page[] => [
  index(service),
  ...boundOperations(service).map((each) => page(service, each, printer)),
];
