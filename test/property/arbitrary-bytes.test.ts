/** No bytes make a codec throw, hang or answer `internal`. */
import { describe, expect, test } from '@jest/globals';
import { anyBytesAreDecodedOrRefused, largeBodiesAreDecodedInTime } from './arbitrary-bytes.ts';
import { subjects } from './subjects.ts';

describe.each(subjects)('$title', (subject) => {
  test.each(
    Object.entries({
      'any bytes are decoded or refused': anyBytesAreDecodedOrRefused,
      'large bodies are decoded in time': largeBodiesAreDecodedInTime,
    }),
  )('%s', (_, property) => {
    expect(property(subject)).toBeUndefined();
  });
});
