/** Requests and answers are valid against the derived documents, for every operation. */
import { describe, expect, test } from '@jest/globals';
import { createProtocols } from '../../src/formats/index.ts';
import { services } from '../../src/services/index.ts';
import { messagesMatchDocuments } from './documents.ts';
import { operationsOf, runs } from './property.ts';

const protocols = createProtocols(services);

describe.each(operationsOf(services))('$title', ({ service, operation }) => {
  test('requests and answers are valid against the documents', () => {
    expect(messagesMatchDocuments({ protocols, service, operation, runs })).toBeUndefined();
  });
});
