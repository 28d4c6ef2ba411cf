/** Recorded requests as messages of HTTP, and back: what HAR and WireMock hold of them. */
import { Buffer } from 'node:buffer';
import {
  ConversionError,
  type Convert,
  createConverter,
  type RefusalContent,
  writeMessages,
} from '../../../convert/index.ts';
import { maskSensitive, type Operation, type Service } from '../../../core/contract/index.ts';
import { createProtocols, formatsOf, type Protocols, usualFormat } from '../../../core/formats/index.ts';
import { isMembers } from '../../../core/lib/index.ts';
import { parseRecord, type RecordedRequest } from '../../../forward/index.ts';

/** The head and the body of a request. */
export interface HttpRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The head and the body of an answer. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What an export says in addition to the messages: the recorded request, without what is sealed. */
interface ExchangeNotes {
  readonly record?: RecordedRequest;
}

/** A request and its answer. Credentials are in neither. */
export interface Exchange {
  /** When it was answered: `2026-01-31T12:00:00.000Z`. */
  readonly at: string;
  readonly ms: number;
  readonly request: HttpRequest;
  /** Absent where there was none. */
  readonly answer: HttpAnswer | undefined;
  readonly notes: ExchangeNotes;
}

interface Exchanges {
  /** Writes a recorded request in its format. Returns undefined for one that the contract does not have, or cannot write. */
  write(record: RecordedRequest): WrittenExchange | undefined;
  /** Reads a request and its answer. Sensitive members are masked. Throws ConversionError for what is none of the contract. */
  read(exchange: Exchange, at: number): RecordedRequest;
}

/** A recorded request as messages, with what it was. */
export interface WrittenExchange extends Exchange {
  readonly answer: HttpAnswer;
  readonly service: Service;
  readonly operation: Operation;
}

export function createExchanges(services: readonly Service[]): Exchanges {
  const protocols = createProtocols(services);
  const convert = createConverter(services);
  return {
    write: (record) => write(record, services, protocols),
    read: (exchange, at) => readOrRestore(exchange, at, services, convert),
  };
}

function write(
  record: RecordedRequest,
  services: readonly Service[],
  protocols: Protocols,
): WrittenExchange | undefined {
  const service = services.find(({ name, version }) => name === record.service && version === record.version);
  const operation = service?.operations.get(record.operation);
  if (service === undefined || operation === undefined) return undefined;
  const formats = formatsOf(operation, service);
  const format = formats.find((each) => each === record.format) ?? usualFormat(operation);
  const { sealed: _, ...noted } = record;
  const { at, ms, status, reference, refusal } = record;
  const part = { service, operation, namesOperation: true } as const;
  try {
    const input = { kind: 'value', schema: operation.input, value: record.input } as const;
    const asked = writeMessages([format], { ...part, side: 'request', content: input }, protocols)[format];
    const output = { kind: 'value', schema: operation.output, value: record.output ?? {} } as const;
    const refused = refusal && {
      kind: 'refusal' as const,
      refusal: { ...refusal, status, issues: [], requestReference: reference },
    };
    const answer = { ...part, side: 'answer', content: refused ?? output } as const;
    const told = writeMessages([format], answer, protocols)[format];
    if (asked === undefined || told === undefined) return undefined;
    const { method = 'POST', path = '/', headers, body } = asked;
    return {
      ...{ at, ms, service, operation },
      request: { method, path, headers, body: Buffer.from(body) },
      answer: { status: told.status ?? status, headers: told.headers, body: Buffer.from(told.body) },
      notes: { record: noted },
    };
  } catch (thrown) {
    // A masked value may be none that the format can write.
    if (thrown instanceof ConversionError || record.isMasked) return undefined;
    throw thrown;
  }
}

/** A masked value may break the contract, so that no message holds it: the recorded request has it. */
function readOrRestore(
  exchange: Exchange,
  number: number,
  services: readonly Service[],
  convert: Convert,
): RecordedRequest {
  try {
    return read(exchange, number, services, convert);
  } catch (thrown) {
    const { record } = exchange.notes;
    if (record === undefined || !(thrown instanceof ConversionError)) throw thrown;
    return record;
  }
}

function read(
  { at, ms, request, answer, notes: { record: noted } }: Exchange,
  number: number,
  services: readonly Service[],
  convert: Convert,
): RecordedRequest {
  const asked = convert({ message: messageOf(`${request.method} ${request.path} HTTP/1.1`, request), side: 'request' });
  const { service, version, operation = '', format } = asked;
  const [issue] = asked.issues;
  if (issue !== undefined) throw new ConversionError('malformed', `${operation}: ${issue.at}: ${issue.message}`);
  const found = services.find((each) => each.name === service && each.version === version)?.operations.get(operation);
  if (found === undefined) throw new ConversionError('unnamed', 'the request names no operation');
  const hints = { from: format, service, version, operation, side: 'answer' } as const;
  const told = answer && convert({ message: messageOf(`HTTP/1.1 ${answer.status} Answer`, answer), ...hints });
  const [wrong] = told?.issues ?? [];
  if (wrong !== undefined)
    throw new ConversionError('malformed', `${operation}: the answer: ${wrong.at}: ${wrong.message}`);
  const input = maskSensitive(found.input, asked.canonical);
  const isMasked = noted?.isMasked === true || JSON.stringify(input) !== JSON.stringify(asked.canonical);
  const refusal = told?.side === 'error' ? (told.canonical as RefusalContent) : undefined;
  return {
    ...{ at, service, version, operation, effect: found.effect, format },
    caller: noted?.caller ?? 'imported',
    tenant: noted?.tenant ?? '',
    reference: noted?.reference ?? `imported-${number}`,
    outcome: noted?.outcome ?? (refusal === undefined ? 'ok' : 'refused'),
    ...{ status: answer?.status ?? 0, ms, input },
    ...(isMasked && { isMasked }),
    ...(told !== undefined && refusal === undefined && { output: maskSensitive(found.output, told.canonical) }),
    ...(refusal !== undefined && { refusal: { code: refusal.code ?? '', message: refusal.message } }),
  };
}

/** The header Content-Type; empty where there is none. */
export function contentTypeOf(headers: HttpRequest['headers']): string {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
}

/** Headers of the way, whose effect on the body is over. The converter reads no credential, and none is recorded. */
const leftOut = /^(:.*|content-length|content-encoding|transfer-encoding|connection|authorization|cookie|set-cookie)$/i;

function messageOf(start: string, { headers, body }: Pick<HttpRequest, 'headers' | 'body'>): Buffer {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    leftOut.test(name) ? [] : [`${plain(name)}: ${plain(value)}`],
  );
  return Buffer.concat([Buffer.from(`${[plain(start), ...lines].join('\r\n')}\r\n\r\n`), body]);
}

/** No text of a file begins another header. */
function plain(text: string): string {
  return text.replace(/[\r\n\0]+/g, ' ');
}

/** Reads what an export says of a request. It comes from a file that anyone may have written. */
export function notesOf(value: unknown): ExchangeNotes {
  const record = isMembers(value) && isMembers(value.record) ? parseRecord(JSON.stringify(value.record)) : undefined;
  if (record === undefined) return {};
  const { sealed: _, ...noted } = record;
  return { record: noted };
}
