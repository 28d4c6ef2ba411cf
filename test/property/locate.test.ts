/** The place of each scalar of a request is where its text is, in every format. */
import { Buffer } from 'node:buffer';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createLocator, type Locate, type MessagePlace } from '../../src/convert/locate.ts';
import type { Operation } from '../../src/core/contract/operation.ts';
import type { Path } from '../../src/core/contract/path.ts';
import type { Schema } from '../../src/core/contract/schema.ts';
import { boundOperations, type Service } from '../../src/core/contract/service.ts';
import type { Call } from '../../src/core/formats/protocol.ts';
import { PartRecorder } from '../../src/core/formats/visit.ts';
import { createProtocols, type ProtocolName, type Protocols } from '../../src/core/formats/wire-formats.ts';
import { compileRoutes, type Routes } from '../../src/core/gateway/route.ts';
import { services } from '../../src/payments/index.ts';
import { formats } from '../formats/index.ts';
import { arbitrary } from '../support/generate.ts';
import { namesOf, type Property, search } from './property.ts';
import { precisionOf, rounded } from './round-trip.ts';
import { subjects } from './subjects.ts';

interface Scalar {
  readonly path: Path;
  readonly schema: Schema;
  readonly value: unknown;
}

/** The scalars and the joined sets of a value. */
const scalarsOf = (schema: Schema, value: unknown, path: Path): readonly Scalar[] => {
  if (value === undefined) return [];
  switch (schema.kind) {
    case 'object':
      return Object.entries(schema.fields).flatMap(([name, field]) =>
        scalarsOf(field.schema, (value as Record<string, unknown>)[name], [...path, name]),
      );
    case 'list': {
      if (schema.joined) return [{ path, schema, value: (value as string[]).join(',') }];
      const { item, itemName, wrapped } = schema;
      return (value as unknown[]).flatMap((each, index) =>
        scalarsOf(item, each, [...path, { index, itemName, wrapped }]),
      );
    }
    case 'map':
      return Object.entries(value as object).flatMap(([key, each]) =>
        schema.item === undefined
          ? [{ path: [...path, key], schema, value: each }]
          : scalarsOf(schema.item, each, [...path, key]),
      );
    default:
      return [{ path, schema, value }];
  }
};

const jsonText = (text: string): string => String(JSON.parse(text));
const decode = (format: ProtocolName, text: string): string =>
  format === 'rest' ? jsonText(text) : formats[format].meaning(text);

interface Named {
  readonly service: Service;
  readonly operation: Operation;
}

interface Recording {
  readonly protocols: Protocols;
  readonly routes: Routes;
  readonly recorder: PartRecorder;
}

/** Protocols that record where parts are, for each service once. */
const recordings = new Map<Service, Recording>();
const recordingOf = (service: Service): Recording => {
  const list = services.includes(service) ? services : [service];
  const recorder = new PartRecorder();
  const known = recordings.get(service) ?? {
    protocols: createProtocols(list, undefined, recorder.compileRead),
    routes: compileRoutes(list),
    recorder,
  };
  recordings.set(service, known);
  return known;
};

/** `text`: the body of a call, with or without a head before it. */
const locatorOf = (format: ProtocolName, call: Call, text: string, { service, operation }: Named): Locate => {
  const { protocols, routes, recorder } = recordingOf(service);
  const [path = '', query = ''] = call.path.split('?');
  const headers = Object.fromEntries(
    Object.entries(call.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const target = routes.find(path).target(call.method ?? 'POST');
  const media = { type: protocols[format].mediaType, charset: undefined };
  protocols[format].decode(Buffer.from(call.body), media, target, { query, headers });
  return createLocator({ text, parts: recorder.take(), operation, side: 'input' });
};

/** The text at the place of a scalar, as a value; the whole start tag where an element is empty. */
const isAt = (
  format: ProtocolName,
  service: Service,
  text: string,
  { start, end }: MessagePlace,
  { schema, value }: Scalar,
): boolean => {
  const found = text.slice(start, end);
  if (value === '') return found !== '';
  if (schema.kind === 'dateTime')
    return Date.parse(decode(format, found)) === rounded(schema, value, precisionOf(format, service));
  // A number of JSON, whose smallest values are printed with exponents.
  if (schema.kind === 'decimal' && format === 'json' && !found.startsWith('"')) return Number(found) === Number(value);
  return decode(format, found).replace('+', '') === String(value).replace('+', '');
};

const scalarsAreWhereTheyAre: Property = (subject) => {
  const { service, operation } = subject;
  return search(arbitrary(operation.input), subject, (input) => {
    const scalars = scalarsOf(operation.input, input, []);
    for (const format of namesOf(subject)) {
      const call = subject.protocols[format].encodeRequest(service, operation, input);
      const { body: text } = call;
      const locate = locatorOf(format, call, text, subject);
      for (const scalar of scalars) {
        const place = locate(scalar.path);
        if (place === undefined || place.isMissing || !isAt(format, service, text, place, scalar))
          return `${format}: ${JSON.stringify(scalar.path)} is not at ${JSON.stringify(place)} of\n${text}`;
      }
      // One that is not there is where its object is.
      const missing = locate(['no-such-member']);
      if (missing?.isMissing !== true) return `${format}: a missing member is found in\n${text}`;
    }
    return undefined;
  });
};

describe.each(subjects)('$title', (subject) => {
  test('each scalar is found at its place', () => {
    expect(scalarsAreWhereTheyAre({ ...subject, runs: Math.ceil(subject.runs / 8) })).toBeUndefined();
  });
});

const protocols = createProtocols(services);
const bound = services.flatMap((service) =>
  boundOperations(service).map((operation) => ({ service, operation, title: operation.name })),
);

test.each(bound)('$title: each scalar of a request in rest is found at its place', ({ service, operation }) => {
  for (const input of fc.sample(arbitrary(operation.input), { numRuns: 10, seed: 7 })) {
    let call: ReturnType<(typeof protocols)['rest']['encodeRequest']>;
    try {
      call = protocols.rest.encodeRequest(service, operation, input);
    } catch {
      continue;
    }
    const head = [
      `${call.method} ${call.path} HTTP/1.1`,
      ...Object.entries(call.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
    ];
    const text = `${head.join('\r\n')}\r\n\r\n${call.body}`;
    const bodyStart = text.length - call.body.length;
    const locate = locatorOf('rest', call, text, { service, operation });
    for (const scalar of scalarsOf(operation.input, input, [])) {
      const place = locate(scalar.path);
      expect(place).toMatchObject({ start: expect.any(Number) });
      expect(place).not.toHaveProperty('isMissing');
      const isInHead = place!.start < bodyStart;
      const found = text.slice(place!.start, place!.end);
      const isHeader = isInHead && place!.line > 1;
      if (isHeader) expect(found).toBe(String(scalar.value));
      else
        expect([scalar, found, isAt(isInHead ? 'form' : 'rest', service, text, place!, scalar)]).toEqual([
          scalar,
          found,
          true,
        ]);
    }
  }
});
