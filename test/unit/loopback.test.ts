/** Loopback addresses, and names that only look like one. */
import { expect, test } from '@jest/globals';
import { isLoopback } from '../../src/core/lib/loopback.ts';

test.each(['localhost', '127.0.0.1', '127.255.0.9', '::1', '[::1]'])('%s is a loopback address', (host) => {
  expect(isLoopback(host)).toBe(true);
});

test.each(['', '0.0.0.0', '::', '10.0.0.1', '127.example.com', 'localhost.example.com', '[fe80::1]'])(
  '%j is not',
  (host) => {
    expect(isLoopback(host)).toBe(false);
  },
);
