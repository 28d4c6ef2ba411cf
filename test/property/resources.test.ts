/** The laws over every operation on resources, and the defects that they have to find. */
import { describe, expect, test } from '@jest/globals';
import { boundOperations } from '../../src/contract/service.ts';
import { createProtocols } from '../../src/formats/index.ts';
import type { Protocol } from '../../src/formats/protocol.ts';
import { services } from '../../src/services/index.ts';
import { runs, seed } from './property.ts';
import * as laws from './resources.ts';

const protocol = createProtocols(services).rest;

const operations = services.flatMap((service) =>
  boundOperations(service).map((operation) => ({ service, operation, title: operation.name })),
);

const all = Object.entries(laws).filter(([name]) => name !== 'decodeSent') as [string, laws.ResourceLaw][];

describe.each(operations)(`$title (LAW_SEED=${seed})`, ({ service, operation }) => {
  test.each(all)('%s', (_, law) => {
    expect(law({ protocol, service, operation, runs: runs / 4 })).toBeUndefined();
  });
});

describe('controls', () => {
  const { service, operation } = operations.find(({ title }) => title === 'updatePaymentInstrument')!;
  const found = (law: laws.ResourceLaw, defect: Partial<Protocol>) =>
    law({ protocol: { ...protocol, ...defect }, service, operation, runs: 200 });

  test('a header that is not read is found', () => {
    const decode: Protocol['decode'] = (body, media, target, { query }) =>
      protocol.decode(body, media, target, { query, headers: {} });
    expect(found(laws.askedIsHeard, { decode })).toMatch(/is read as/);
  });
  test('a body that makes it throw is found', () => {
    const decode: Protocol['decode'] = (body, media, target, head) => {
      JSON.parse(body.toString());
      return protocol.decode(body, media, target, head);
    };
    expect(found(laws.bytesAreReadOrRefused, { decode })).toMatch(/throws SyntaxError/);
  });
  test('an answer that the document does not have is found', () => {
    const encode: Protocol['encode'] = (each, output) =>
      protocol.encode(each, { ...(output as object), status: 'gone' });
    expect(found(laws.documentsTellTheTruth, { encode })).toMatch(/status must be equal/);
  });
});
