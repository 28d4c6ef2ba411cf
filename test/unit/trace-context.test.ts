/** Tests the reading of traceparent and X-Request-Id, and what is made where they are absent or malformed. */
import { describe, expect, test } from '@jest/globals';
import { createTraceparent, parseTraceparent, traceIdOf } from '../../src/core/lib/trace-context.ts';
import { acceptRequestId } from '../../src/http/request-id.ts';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const span = '00f067aa0ba902b7';

describe('traceparent', () => {
  test.each([
    ['of version 00', `00-${trace}-${span}-01`, `00-${trace}-${span}-01`],
    ['of a later version', `cc-${trace}-${span}-01`, `00-${trace}-${span}-01`],
    ['of a later version with more members', `cc-${trace}-${span}-01-more`, `00-${trace}-${span}-01`],
    ['of version 00 with more members', `00-${trace}-${span}-01-more`, undefined],
    ['of version ff', `ff-${trace}-${span}-01`, undefined],
    ['in capital letters', `00-${trace.toUpperCase()}-${span}-01`, undefined],
    ['with a trace of zeros', `00-${'0'.repeat(32)}-${span}-01`, undefined],
    ['with a span of zeros', `00-${trace}-${'0'.repeat(16)}-01`, undefined],
    ['that is too short', `00-${trace}-${span}`, undefined],
    ['that ends late', `cc-${trace}-${span}-01-${'x'.repeat(300)}`, undefined],
    ['sent twice', `00-${trace}-${span}-01, 00-${trace}-${span}-01`, undefined],
  ])('one %s', (_, header, expected) => expect(parseTraceparent(header)).toBe(expected));

  test('a new one is well-formed, not sampled and another each time', () => {
    const made = Array.from({ length: 500 }, createTraceparent);
    for (const each of made) expect(parseTraceparent(each)).toBe(each);
    expect(made[0]).toMatch(/-00$/);
    expect(new Set(made.map(traceIdOf)).size).toBe(500);
  });
});

describe('X-Request-Id', () => {
  test.each(['a', 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6', 'Root=1-67891233-abcdef012345678912345678', 'x'.repeat(128)])(
    'accepts %s',
    (id) => expect(acceptRequestId(id)).toBe(id),
  );
  test.each([undefined, '', 'x'.repeat(129), 'two, ids', 'a b', '<script>', 'a"b', 'é'])('refuses %s', (id) =>
    expect(acceptRequestId(id)).toBeUndefined(),
  );
});
