/** Canonical request texts: one request has the same text in every format, and two requests never share one. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { canonicalRequestText } from '../../src/idempotency/canonical-request.ts';
import { decode } from '../support/exchange.ts';
import { arbitrary } from '../support/generate.ts';
import { namesOf, type Property, search } from './property.ts';
import { subjects } from './subjects.ts';

/** Every format has the same text for one request. */
const formatsHaveOneCanonicalText: Property = (subject) => {
  const { protocols, routes, service, operation } = subject;
  return search(arbitrary(operation.input), subject, (input) => {
    const texts = namesOf(protocols).map((name) => {
      const decoded = decode(protocols, name, protocols[name].encodeRequest(service, operation, input), routes);
      return canonicalRequestText({ service, operation, input: decoded.input });
    });
    return new Set(texts).size === 1 ? undefined : texts.join('\n');
  });
};

/** The oracle: the parts of a request that the text must identify. */
const essence = (value: unknown, name = ''): unknown => {
  if (Array.isArray(value)) return value.map((each) => essence(each));
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([key, each]) => key !== 'cvc' && each !== undefined);
    return entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, each]) => [key, essence(each, key)]);
  }
  return /^(expiry|start)Month$/.test(name) ? Number(value) : value;
};

/** Two requests have one text exactly where their essence is equal. */
const canonicalTextIdentifiesRequest: Property = (subject) => {
  const { service, operation } = subject;
  const one = arbitrary(operation.input) as fc.Arbitrary<Record<string, unknown>>;
  // A mix of two requests, so that a pair often differs in few fields.
  const pairs = fc.tuple(one, one, fc.infiniteStream(fc.boolean())).map(([a, b, mix]) => {
    const mixed = Object.entries(a).map(([key, value]) => [key, mix.next().value && key in b ? b[key] : value]);
    return [a, Object.fromEntries(mixed)] as const;
  });
  return search(pairs, subject, ([a, b]) => {
    const same = JSON.stringify(essence(a)) === JSON.stringify(essence(b));
    return (canonicalRequestText({ service, operation, input: a }) ===
      canonicalRequestText({ service, operation, input: b })) ===
      same
      ? undefined
      : JSON.stringify([a, b]);
  });
};

describe.each(subjects)('$title', (subject) => {
  test.each(Object.entries({ formatsHaveOneCanonicalText, canonicalTextIdentifiesRequest }))('%s', (_, property) => {
    expect(property(subject)).toBeUndefined();
  });
});
