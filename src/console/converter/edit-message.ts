/** Says what a message is and what is wrong with it, and writes it in all formats. */
import { Buffer } from 'node:buffer';
import {
  type Coercion,
  ConversionError,
  type Convert,
  type ConvertedMessage,
  changeTexts,
  depthMax,
  draftOf,
  type EditedRequest,
  isDraftObject,
  type MessageEditor,
  type MessagePlace,
  type PlacedIssue,
  type WrittenRequest,
} from '../../convert/index.ts';
import {
  contractOf,
  type Input,
  type Operation,
  type Output,
  type Path,
  Problem,
  type Service,
} from '../../core/contract/index.ts';
import { formatsOf, limits, type ProtocolName, scan, wireFormats } from '../../core/formats/index.ts';
import type { editMessage as editOperation } from './contract.ts';

type Edited = Output<typeof editOperation>;
type Question = Input<typeof editOperation>;
type ShownMessage = NonNullable<Edited['messages']>[number];

interface EditorParts {
  readonly services: readonly Service[];
  readonly editor: MessageEditor;
  readonly convert: Convert;
}

/** Messages are the user's own, so nothing is masked. */
export function editMessage(question: Question, parts: EditorParts): Edited {
  const { editor } = parts;
  const message = textOf(question);
  try {
    if (question.from === 'fields') return ofFields(message, question, parts);
    const read = readText(message, question, editor);
    if (!('draft' in read)) return withIndented(ofReply(message, question, parts), message);
    return withIndented(
      {
        ...ofRequest(read, editor),
        format: read.format,
        changes: editor.coercionsOf(read).map(changeOf),
        issues: editor.placeIssues(read).map(issueOf),
      },
      message,
    );
  } catch (thrown) {
    if (!(thrown instanceof ConversionError)) throw thrown;
    return ofError(thrown, message);
  }
}

/** Adds the message on several lines. One with an HTTP head stays as it is. */
function withIndented(edited: Edited, message: string): Edited {
  const { format } = edited;
  const indented = format === undefined ? message : wireFormats[format].text.indent(message);
  return indented === message ? edited : { ...edited, indented };
}

export function textOf({ text = '', isBase64 = false }: Pick<Question, 'text' | 'isBase64'>): string {
  return isBase64 ? Buffer.from(text, 'base64').toString('utf8') : text;
}

export function findOperation(
  services: readonly Service[],
  named: Pick<Question, 'service' | 'version' | 'operation'>,
): { readonly service: Service; readonly operation: Operation } {
  const service = contractOf(services, named.service ?? '', named.version);
  const operation = service?.operations.get(named.operation ?? '');
  if (service === undefined || operation === undefined) throw new Problem('notFound');
  return { service, operation };
}

/** Reads a text in the format of its editor. What looks like another format was pasted there, and is read as what it is. */
function readText(
  message: string,
  { from, service, version, operation, side }: Question,
  editor: MessageEditor,
): ReturnType<MessageEditor['readText']> {
  const format = from === 'fields' || !isLike(message, from) ? undefined : from;
  // Others say their operation themselves, and it may be another one than that of the page.
  const names = {
    service,
    version,
    side,
    ...((format === undefined || !namesItself(format)) && { operation }),
  };
  const hasHead = /^(?:[A-Z]+ \S+(?: HTTP|\r?\n)|HTTP\/)/.test(message);
  const [first, second] = hasHead ? [{}, names] : [names, {}];
  try {
    return editor.readText({ message, from: format, ...first });
  } catch (thrown) {
    if (!(thrown instanceof ConversionError) || thrown.reason !== 'unnamed') throw thrown;
    return editor.readText({ message, from: format, ...second });
  }
}

function isLike(text: string, format: Question['from']): boolean {
  return format === undefined || format === 'fields' || wireFormats[format].text.resembles(text);
}

/** Messages of the format say their operation, in their body or in their head. */
function namesItself(format: ProtocolName): boolean {
  const { bodyNamesOperation = false, addressOf } = wireFormats[format];
  return bodyNamesOperation || addressOf !== undefined;
}

function ofFields(text: string, question: Question, { services, editor }: EditorParts): Edited {
  const { service, operation } = findOperation(services, question);
  const request = editor.readDraft(service, operation, parseDraft(text));
  return ofRequest(request, editor);
}

/** What has more members than a message in JSON takes minutes to write in all formats. */
const draftLimits = Object.freeze({ ...limits, depthMax });

export function parseDraft(text: string): EditedRequest['draft'] {
  try {
    const draft = 'fault' in scan(text, draftLimits) ? undefined : draftOf(JSON.parse(text));
    if (isDraftObject(draft)) return draft;
  } catch {
    // Reported below.
  }
  throw Problem.at(['text'], 'invalidField', 'text');
}

function ofRequest(request: EditedRequest, editor: MessageEditor): Edited {
  const { service, operation, draft, input, issues } = request;
  return {
    kind: 'request',
    service: service.name,
    version: service.version,
    operation: operation.name,
    draft: JSON.stringify(draft),
    ...(issues.length === 0 && { canonical: JSON.stringify(input, null, 2) }),
    issues: issues.map((issue) => issueOf({ ...issue, at: fieldOf(issue.path), place: undefined })),
    messages: editor.write(request).map(shown),
  };
}

function shown({ issues, ...message }: WrittenRequest): ShownMessage {
  return { ...message, issues: issues.map(issueOf) };
}

/** An answer, or an error. */
function ofReply(
  message: string,
  { service, version, operation, from, side: given }: Question,
  { services, convert }: EditorParts,
): Edited {
  const hints = { message, service, version, operation, side: given, ...(from !== 'fields' && { from }) };
  const found = convert(hints);
  const named = found.operation ?? operation;
  const contract = contractOf(services, found.service, found.version);
  const carrier = named === undefined ? undefined : contract?.operations.get(named);
  const to = contract === undefined || carrier === undefined ? [found.format] : formatsOf(carrier, contract);
  const { messages, canonical, issues, coercions, format, side } = convert({ ...hints, to });
  return {
    kind: side,
    service: found.service,
    version: found.version,
    ...(named !== undefined && { operation: named }),
    format,
    canonical: JSON.stringify(canonical, null, 2),
    issues: issues.map(({ at, code, message, place }) => ({ field: at, at, code, message, ...place })),
    changes: coercions.map(changeOf),
    messages: shownMessages(messages),
  };
}

export function shownMessages(
  messages: Readonly<Partial<Record<ProtocolName, ConvertedMessage>>>,
): readonly ShownMessage[] {
  return Object.entries(messages).map(([format, { method, path, status, headers, body }]) => ({
    format: format as ProtocolName,
    ...(method !== undefined && { method }),
    ...(path !== undefined && { path }),
    ...(status !== undefined && { status }),
    contentType: headers['Content-Type'] ?? '',
    text: wireFormats[format as ProtocolName].text.indent(body),
  }));
}

function ofError({ reason, message, line, column }: ConversionError, text: string): Edited {
  const kind = reason === 'malformed' ? 'malformed' : 'unnamed';
  if (line === undefined || column === undefined) return { kind, error: message };
  const start = offsetOf(text, line, column);
  return { kind, error: message, line, column, start, end: Math.min(start + 1, text.length) };
}

/** Columns are characters. */
function offsetOf(text: string, line: number, column: number): number {
  const starts = [0, ...Array.from(text.matchAll(/\r\n|\n|\r/g), ({ index, 0: sign }) => index + sign.length)];
  const start = starts[line - 1] ?? text.length;
  const before = [...text.slice(start, start + 2 * column)].slice(0, column - 1).join('');
  return Math.min(start + before.length, text.length);
}

function issueOf({ path, at, kind, message, place }: PlacedIssue) {
  return { field: fieldOf(path), at, code: kind.code, message, ...place };
}

/** As the fields of a form are called: `details/0/card`. */
function fieldOf(path: Path): string {
  return path.map((step) => (typeof step === 'string' ? step : String(step.index))).join('/');
}

function changeOf({ at, changes, from, to, in: lost, place }: Coercion) {
  return {
    at,
    doc: changes.map((each) => changeTexts[each]).join('; '),
    ...(from !== undefined && { before: from }),
    ...(to !== undefined && { after: to }),
    ...(lost !== undefined && { in: lost }),
    ...(place satisfies MessagePlace | undefined),
  };
}
