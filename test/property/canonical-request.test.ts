/** Canonical request texts: two requests never share one. That of one request is the same in every format, see the round trip. */
import { describe, expect, test } from '@jest/globals';
import { canonicalTextIdentifiesRequest } from './canonical-request.ts';
import { subjects } from './subjects.ts';

describe.each(subjects)('$title', (subject) => {
  test('two requests have one text exactly where they are the same', () => {
    expect(canonicalTextIdentifiesRequest(subject)).toBeUndefined();
  });
});
