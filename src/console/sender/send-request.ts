/** Sends a request to this gateway as a caller would, and shows the answer along the contract. */
import { Buffer } from 'node:buffer';
import { ConversionError, type Convert, splitHttpMessage } from '../../convert/index.ts';
import {
  conventionsOf,
  describe,
  type Input,
  isBound,
  isDotSegment,
  keyHeader,
  type Operation,
  type Output,
  Problem,
  replayedHeader,
  type Service,
  serviceAddress,
} from '../../core/contract/index.ts';
import { formatsOf, type ProtocolName, wireFormats } from '../../core/formats/index.ts';
import { basicHeader } from '../../core/lib/index.ts';
import type { DemoCaller } from '../console-context.ts';
import { findOperation, shownMessages, textOf } from '../converter/edit-message.ts';
import type { sendExplorerRequest } from './contract.ts';
import type { SentAnswer, SentRequest } from './send-to-callers-port.ts';

type Question = Input<typeof sendExplorerRequest>;
type Answer = Output<typeof sendExplorerRequest>;

export interface SendParts {
  /** Every version; of each service, the newest last. */
  readonly services: readonly Service[];
  /** Public credentials of callers, by name. Only the demo has any. */
  readonly demoCredentials: ReadonlyMap<string, DemoCaller>;
  /** Masks secrets in a text of which nothing else is known. */
  readonly maskText: (text: string) => string;
  /** Masks the members of a message. */
  readonly convert: Convert;
  /** Sends a request to the port for callers of this gateway, and nowhere else. Rejects where there is no answer. */
  readonly send: (request: SentRequest) => Promise<SentAnswer>;
}

export async function sendRequest(question: Question, parts: SendParts): Promise<Answer> {
  const { service, operation } = findOperation(parts.services, question);
  const request = requestOf(question, service, operation);
  const headers = { ...request.headers, ...credentialOf(question, parts), ...keyOf(question) };
  const sent = await parts.send({ ...request, headers }).catch((cause: unknown) => {
    throw new Problem('unavailable', `${describe('unavailable')}: the port for callers did not answer`, { cause });
  });
  return { ...shownHead(sent, parts), ...shownBody(sent, { service, operation, format: question.format }, parts) };
}

function shownHead({ status, ms, headers }: SentAnswer, { services, maskText }: SendParts) {
  const headerOf = (asked: string) => headers.find(([name]) => name.toLowerCase() === asked.toLowerCase())?.[1];
  return {
    status,
    ms,
    reference: headerOf(conventionsOf(services).requestReference),
    headers: headers.map(([name, value]) => ({ name, value: maskText(value) })),
    isReplayed: headerOf(replayedHeader) === 'true',
  };
}

/** The contract says the address: the text says it in the format `rest` only, below the address of the service. */
function requestOf(question: Question, service: Service, operation: Operation): SentRequest {
  const { format } = question;
  const text = textOf(question);
  if (!formatsOf(operation, service).includes(format)) throw Problem.at(['format'], 'invalidField', 'format');
  if (wireFormats[format].hasFieldsInHead) return requestWithHead(text, service, operation);
  const { path, contentType, headers = {} } = wireFormats[format].callHead(operation, service);
  const tools = wireFormats[format].text;
  const body = tools.encode?.(text) ?? tools.ofFile?.(Buffer.from(text)) ?? text;
  return { method: 'POST', path, headers: { 'Content-Type': contentType, ...headers }, body };
}

function requestWithHead(text: string, service: Service, operation: Operation): SentRequest {
  const { start, headers, body } = splitHttpMessage(Buffer.from(text));
  if (start?.kind !== 'request' || !isBound(operation)) throw Problem.at(['text'], 'invalidField', 'text');
  const { method, path, query } = start;
  const target = query === '' ? path : `${path}?${query}`;
  const isBelow = path.startsWith(`${serviceAddress(service)}/`) && !path.split('/').some(isDotSegment);
  if (!isBelow || !/^[\x21-\x7e]+$/.test(target) || !methods.includes(method))
    throw Problem.at(['text'], 'invalidField', 'text');
  const named = Object.entries(operation.input.fields).flatMap(([name, field]) =>
    field.in === 'header' ? [field.header ?? name] : [],
  );
  return {
    method,
    path: target,
    headers: {
      ...(body.length > 0 && { 'Content-Type': headers['content-type'] ?? 'application/json' }),
      ...Object.fromEntries(
        named.flatMap((name) => {
          const value = headers[name.toLowerCase()];
          return value === undefined ? [] : [[name, value]];
        }),
      ),
    },
    body: body.toString(),
  };
}

const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'];

function credentialOf(
  { demoCredential, apiKey, username, password }: Question,
  { demoCredentials }: SendParts,
): Readonly<Record<string, string>> {
  if (demoCredential !== undefined) {
    const presented = demoCredentials.get(demoCredential)?.presented;
    if (presented === undefined) throw Problem.at(['demoCredential'], 'invalidField', 'demoCredential');
    return presented.kind === 'apiKey'
      ? { 'X-API-Key': presented.secret }
      : { Authorization: basicHeader(presented.username, presented.secret) };
  }
  if (apiKey !== undefined) return { 'X-API-Key': headerValue(apiKey, 'apiKey') };
  return username === undefined ? {} : { Authorization: basicHeader(username, password ?? '') };
}

function keyOf({ key }: Question): Readonly<Record<string, string>> {
  return key === undefined ? {} : { [keyHeader]: headerValue(key, 'key') };
}

function headerValue(text: string, field: string): string {
  if (!/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text)) throw Problem.at([field], 'invalidField', field);
  return text;
}

interface Asked {
  readonly service: Service;
  readonly operation: Operation;
  readonly format: ProtocolName;
}

/** A body that is no answer of the contract has no members of which anything is known, so it is masked as a text. */
function shownBody(sent: SentAnswer, { service, operation, format }: Asked, { maskText, convert }: SendParts) {
  const raw = sent.body.toString('utf8');
  const asText = () => ({ text: maskText(raw), isMasked: maskText(raw) !== raw });
  const type = sent.headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  const message = Buffer.concat([
    Buffer.from(
      `HTTP/1.1 ${sent.status} Answer\r\n${sent.headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
    ),
    sent.body,
  ]);
  const hints = {
    message,
    side: 'answer',
    service: service.name,
    version: service.version,
    operation: operation.name,
  } as const;
  const to = formatsOf(operation, service);
  try {
    const { hasFieldsInHead = false, upstream } = wireFormats[format];
    const from = hasFieldsInHead && upstream.isAnswerType(type.split(';', 1)[0]!.trim()) ? format : undefined;
    const shown = convert({ ...hints, from, to, mask: true });
    const plain = convert({ ...hints, from });
    const messages = shownMessages(shown.messages);
    if (shown.side === 'error') {
      const masked = messages.map((each) => ({ ...each, text: maskText(each.text) }));
      const { issues = [] } = plain.canonical as {
        readonly issues?: readonly { readonly field: string; readonly message: string }[];
      };
      const refused = issues.map((issue) => ({
        field: issue.field.replaceAll('.', '/'),
        message: maskText(issue.message),
      }));
      return {
        ...asText(),
        format: shown.format,
        text: maskText(wireFormats[shown.format].text.indent(raw)),
        messages: masked,
        refused,
      };
    }
    const isWhole = JSON.stringify(shown.canonical) === JSON.stringify(plain.canonical) && maskText(raw) === raw;
    const hasUnknown = plain.coercions.some(({ changes }) => changes.includes('unknownMember'));
    if (isWhole && !hasUnknown)
      return { text: wireFormats[shown.format].text.indent(raw), isMasked: false, format: shown.format, messages };
    const own = messages.find((each) => each.format === shown.format);
    return { text: own?.text ?? '', isMasked: true, format: shown.format, messages };
  } catch (thrown) {
    if (!(thrown instanceof ConversionError)) throw thrown;
    return asText();
  }
}
