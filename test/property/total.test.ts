/** The law that no bytes make a protocol throw, hang or answer `internal`. */
import { describe, expect, test } from '@jest/globals';
import { createProtocols } from '../../src/formats/index.ts';
import { services } from '../../src/services/index.ts';
import { operationsOf, runs, seed } from './property.ts';
import { bytesAreReadOrRefused, bytesAreReadSoon } from './total.ts';

const protocols = createProtocols(services);

describe.each(operationsOf(services))(`$title (LAW_SEED=${seed})`, ({ service, operation }) => {
  test.each(
    Object.entries({ 'bytes are read or refused': bytesAreReadOrRefused, 'bytes are read soon': bytesAreReadSoon }),
  )('%s', (_, law) => {
    expect(law({ protocols, service, operation, runs })).toBeUndefined();
  });
});
