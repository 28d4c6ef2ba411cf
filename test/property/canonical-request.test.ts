/** Canonical request texts: one request has the same text in every format, and two requests never share one. */
import { describe, expect, test } from '@jest/globals';
import { canonicalRequestText } from '../../src/idempotency/canonical-request.ts';
import { decode } from '../support/exchange.ts';
import { arbitrary } from '../support/generate.ts';
import { canonicalTextIdentifiesRequest } from './canonical-request.ts';
import { namesOf, type Property, search } from './property.ts';
import { roundedFor } from './round-trip.ts';
import { subjects } from './subjects.ts';

/** Every format has the same text for one request. */
const formatsHaveOneCanonicalText: Property = (subject) => {
  const { protocols, routes, service, operation } = subject;
  return search(arbitrary(operation.input), subject, (precise) => {
    const input = roundedFor(subject, operation.input, precise);
    const texts = namesOf(subject).map((name) => {
      const decoded = decode(protocols, name, protocols[name].encodeRequest(service, operation, input), routes);
      return canonicalRequestText({ service, operation, input: decoded.input });
    });
    return new Set(texts).size === 1 ? undefined : texts.join('\n');
  });
};

describe.each(subjects)('$title', (subject) => {
  test.each(Object.entries({ formatsHaveOneCanonicalText, canonicalTextIdentifiesRequest }))('%s', (_, property) => {
    expect(property(subject)).toBeUndefined();
  });
});
