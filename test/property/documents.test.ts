/** The law that documents tell the truth, over every operation. */
import { describe, expect, test } from '@jest/globals';
import { createProtocols } from '../../src/formats/index.ts';
import { services } from '../../src/services/index.ts';
import { documentsTellTheTruth } from './documents.ts';
import { operationsOf, runs, seed } from './property.ts';

const protocols = createProtocols(services);

describe.each(operationsOf(services))(`$title (LAW_SEED=${seed})`, ({ service, operation }) => {
  test('every request and answer is what the derived documents say', () => {
    expect(documentsTellTheTruth({ protocols, service, operation, runs })).toBeUndefined();
  });
});
