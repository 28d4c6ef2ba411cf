/** Writes an edited request in all formats, also where it is not valid. */
import { Buffer } from 'node:buffer';
import { type Issue, namesInPath, type Operation, Problem, type Service } from '../../core/contract/index.ts';
import {
  type Call,
  createProtocols,
  formatsOf,
  PartRecorder,
  type Protocol,
  type ProtocolName,
  type Protocols,
  type VisitedPart,
  wireFormats,
} from '../../core/formats/index.ts';
import { createLocator, type Locate } from '../locate.ts';
import type { EditedRequest, EditedText, PlacedIssue, WrittenRequest } from './edited-request.ts';
import { widenObject } from './widen-schema.ts';

export function createWriter(protocols: Protocols): (request: EditedRequest) => readonly WrittenRequest[] {
  return (request) => {
    const { service, operation, issues } = request;
    const target = issues.length === 0 ? { ...request, protocols } : widenedTarget(request);
    return formatsOf(operation, service).flatMap((format) => {
      const call = encode(target.protocols[format].encodeRequest, target.service, target.operation, target.input);
      if (call === undefined) return [];
      const { text, bodyStart } = textOf(call, format, operation);
      const parts = partsOf(text.slice(bodyStart), format, target);
      const locate = createLocator({ text, parts, operation, side: 'input' });
      const { method = 'POST', contentType } = call;
      const path = withPlaceholders(call.path, operation);
      return {
        format,
        method,
        path,
        contentType,
        text,
        issues: placeIssues(issues, { format, operation }, protocols, locate),
      };
    });
  };
}

/** Says where in the text of a format each issue stands. */
export function placeIssues(
  issues: readonly Issue[],
  { format, operation }: Pick<EditedText, 'format' | 'operation'>,
  protocols: Protocols,
  locate: Locate,
): readonly PlacedIssue[] {
  return issues.map((issue) => ({
    ...issue,
    at: protocols[format].coordinates(issue.path, operation, 'input', issue.kind),
    place: locate(issue.path, issue.kind),
  }));
}

interface Target {
  readonly service: Service;
  readonly operation: Operation;
  readonly input: unknown;
  readonly protocols: Protocols;
  /** Of what the protocols read; absent where nothing is wrong with the request, so that no place is asked for. */
  readonly recorder?: PartRecorder;
}

/** The parts of a body that has been written. */
function partsOf(
  body: string,
  format: ProtocolName,
  { service, operation, protocols, recorder }: Target,
): readonly VisitedPart[] {
  if (recorder === undefined || body === '') return [];
  const { mediaType, decode, text } = protocols[format];
  const bytes = text.encode?.(body) ?? Buffer.from(body);
  try {
    const target = { service, version: service.version, operation };
    decode(bytes, { type: mediaType, charset: undefined }, target, { query: '', headers: {} });
  } catch (thrown) {
    if (!(thrown instanceof Problem)) throw thrown;
  }
  return recorder.take();
}

/** An operation that accepts the draft, in a service of its own. */
function widenedTarget({ service, operation, draft }: EditedRequest): Target {
  const { schema, values } = widenObject(operation.input, [draft]);
  const widened: Operation = { ...operation, input: schema, grants: [] };
  const names = operation.http === undefined ? [] : namesInPath(operation.http.path);
  const missing = Object.fromEntries(names.map((name) => [name, `{${name}}`]));
  const served = { ...service, operations: new Map([[operation.name, widened]]) };
  // No member of a draft has this name.
  const places = { formField: '', messageId: true };
  const recorder = new PartRecorder();
  return {
    service: served,
    operation: widened,
    input: { ...missing, ...(values[0] as object) },
    protocols: createProtocols([served], places, recorder.compileRead),
    recorder,
  };
}

/** Undefined for values that would change the path of the request. */
function encode(
  encodeRequest: Protocol['encodeRequest'],
  service: Service,
  operation: Operation,
  input: unknown,
): Call | undefined {
  try {
    return encodeRequest(service, operation, input);
  } catch (thrown) {
    if (thrown instanceof Problem) return undefined;
    throw thrown;
  }
}

function textOf(call: Call, format: ProtocolName, operation: Operation) {
  const body = wireFormats[format].text.indent(call.body);
  if (!wireFormats[format].hasFieldsInHead) return { text: body, bodyStart: 0 };
  const { method = 'POST', headers = {}, contentType } = call;
  const lines = [
    `${method} ${withPlaceholders(call.path, operation)} HTTP/1.1`,
    ...(body === '' ? [] : [`Content-Type: ${contentType}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value.replace(/[\r\n]+/g, ' ')}`),
  ];
  const head = `${lines.join('\n')}\n\n`;
  return { text: head + body, bodyStart: head.length };
}

function withPlaceholders(path: string, { http }: Operation): string {
  const names = http === undefined ? [] : namesInPath(http.path);
  return names.reduce((printed, name) => printed.replace(`%7B${name}%7D`, `{${name}}`), path);
}
