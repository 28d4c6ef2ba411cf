/** Properties of every operation with an HTTP binding, and the seeded defects that they have to find. */
import { describe, expect, test } from '@jest/globals';
import { boundOperations } from '../../src/core/contract/service.ts';
import type { Protocol } from '../../src/core/formats/protocol.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import { services } from '../../src/payments/index.ts';
import { canonicalTextIdentifiesRequest } from './canonical-request.ts';
import { runs } from './property.ts';
import * as properties from './resources.ts';

const protocol = createProtocols(services).rest;

const operations = services.flatMap((service) =>
  boundOperations(service).map((operation) => ({ service, operation, title: operation.name })),
);

const all = Object.entries<properties.ResourceProperty>({ ...properties, canonicalTextIdentifiesRequest });

describe.each(operations)('$title', ({ service, operation }) => {
  test.each(all)('%s', (_, property) => {
    expect(property({ protocol, service, operation, runs: Math.ceil(runs / 4) })).toBeUndefined();
  });
});

describe('seeded defects', () => {
  const { service, operation } = operations.find(({ title }) => title === 'updatePaymentInstrument')!;
  const found = (property: properties.ResourceProperty, defect: Partial<Protocol>) =>
    property({ protocol: { ...protocol, ...defect }, service, operation, runs: 1_000, unshrunk: true });

  test('an ignored header is found', () => {
    const decode: Protocol['decode'] = (body, media, target, { query }) =>
      protocol.decode(body, media, target, { query, headers: {} });
    expect(found(properties.messagesRoundTrip, { decode })).toMatch(/is decoded as/);
  });
  test('a decoder that throws is found', () => {
    const decode: Protocol['decode'] = (body, media, target, head) => {
      JSON.parse(body.toString());
      return protocol.decode(body, media, target, head);
    };
    expect(found(properties.anyBytesAreDecodedOrRefused, { decode })).toMatch(/throws SyntaxError/);
  });
  test('an answer that is not in the document is found', () => {
    const encode: Protocol['encode'] = (each, output) =>
      protocol.encode(each, { ...(output as object), status: 'gone' });
    expect(found(properties.messagesMatchDocuments, { encode })).toMatch(/status must be equal/);
  });
});
