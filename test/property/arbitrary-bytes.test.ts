/** No bytes make a codec throw, hang or answer `internal`. */
import { describe, expect, test } from '@jest/globals';
import { createProtocols } from '../../src/formats/index.ts';
import { services } from '../../src/services/index.ts';
import { anyBytesAreDecodedOrRefused, largeBodiesAreDecodedInTime } from './arbitrary-bytes.ts';
import { operationsOf, runs } from './property.ts';

const protocols = createProtocols(services);

describe.each(operationsOf(services))('$title', ({ service, operation }) => {
  test.each(
    Object.entries({
      'any bytes are decoded or refused': anyBytesAreDecodedOrRefused,
      'large bodies are decoded in time': largeBodiesAreDecodedInTime,
    }),
  )('%s', (_, property) => {
    expect(property({ protocols, service, operation, runs })).toBeUndefined();
  });
});
