/** Round trip: the server decodes what the client encodes, and the client decodes what the server encodes. */
import { conventionsOfMessages } from '../../src/core/contract/conventions.ts';
import type { Schema } from '../../src/core/contract/schema.ts';
import type { Service } from '../../src/core/contract/service.ts';
import type { ProtocolName } from '../../src/core/formats/wire-formats.ts';
import { canonicalRequestText } from '../../src/core/idempotency/canonical-request.ts';
import { formats } from '../formats/index.ts';
import { outcomeWithInput } from '../support/exchange.ts';
import { arbitrary } from '../support/generate.ts';
import { namesOf, type Property, type Subject, search } from './property.ts';

/** The precision of a dateTime of a service in a format, in milliseconds. */
export const precisionOf = (name: ProtocolName, service: Service): number =>
  conventionsOfMessages(service).fractions === undefined ? 1 : formats[name === 'rest' ? 'json' : name].precisionMs;

/** The value with dateTimes rounded to the precision of all formats of a subject. */
export const roundedFor = (subject: Subject, shape: Schema, value: unknown): unknown =>
  rounded(shape, value, Math.max(...namesOf(subject).map((name) => precisionOf(name, subject.service))));

/** The value with dateTimes rounded to the precision of a format. */
export const rounded = (shape: Schema, value: unknown, ms: number): unknown => {
  switch (shape.kind) {
    case 'dateTime':
      return Math.floor((value as number) / ms) * ms;
    case 'list':
      return (value as unknown[]).map((item) => rounded(shape.item, item, ms));
    case 'object': {
      const entries = Object.entries(value as Record<string, unknown>);
      return Object.fromEntries(entries.map(([name, each]) => [name, rounded(shape.fields[name]!.schema, each, ms)]));
    }
    default:
      return value;
  }
};

const differ = (what: string, sent: string, wire: string, read: string) =>
  sent === read ? undefined : `${what}\n  ${sent}\nis decoded as\n  ${read}\nfrom\n  ${wire}`;

/**
 * Every format decodes what was sent, so all of them decode a value that each can represent to the same input, and give it one
 * canonical text.
 */
export const requestsRoundTrip: Property = (subject) => {
  const { protocols, routes, service, operation } = subject;
  return search(arbitrary(operation.input), subject, (input) => {
    const texts = new Set<string>();
    for (const name of namesOf(subject)) {
      const call = protocols[name].encodeRequest(service, operation, input);
      const expected = {
        operation: operation.name,
        input: JSON.stringify(rounded(operation.input, input, precisionOf(name, service))),
      };
      const { outcome, decoded } = outcomeWithInput(protocols, name, call, routes);
      const fault = differ(`${name}: the request`, JSON.stringify(expected), call.body, JSON.stringify(outcome));
      if (fault !== undefined) return fault;
      texts.add(canonicalRequestText({ service, operation, input: roundedFor(subject, operation.input, decoded) }));
    }
    return texts.size === 1 ? undefined : `one request has the canonical texts\n${[...texts].join('\n')}`;
  });
};

export const answersRoundTrip: Property = (subject) => {
  const { protocols, service, operation } = subject;
  return search(arbitrary(operation.output), subject, (output) => {
    for (const name of namesOf(subject)) {
      const { body } = protocols[name].encode(operation, output);
      const decoded = protocols[name].decodeResponse(operation, body);
      const expected = { value: rounded(operation.output, output, precisionOf(name, service)), issues: [] };
      const fault = differ(`${name}: the answer`, JSON.stringify(expected), body, JSON.stringify(decoded));
      if (fault !== undefined) return fault;
      if (protocols[name].encode(operation, output).body !== body) return `${name}: two encodings of one answer differ`;
    }
    return undefined;
  });
};
