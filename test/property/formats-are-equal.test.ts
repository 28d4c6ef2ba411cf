/** Properties of equal formats, for every operation of every service and all formats together. */
import { describe, expect, test } from '@jest/globals';
import type { Property } from './property.ts';
import { formatsRefuseAlike, spellingsAreEquivalent, unencodableTextIsRefused } from './refusal.ts';
import { answersRoundTrip, requestsRoundTrip } from './round-trip.ts';
import { subjects } from './subjects.ts';

const properties: Readonly<Record<string, Property>> = {
  'a request survives a round trip, with one canonical text': requestsRoundTrip,
  'an answer survives a round trip': answersRoundTrip,
  'all formats decode equivalent spellings alike': spellingsAreEquivalent,
  'all formats refuse an invalid request alike': formatsRefuseAlike,
  'all formats refuse what one of them cannot represent': unencodableTextIsRefused,
};

describe.each(subjects)('$title', (subject) => {
  test.each(Object.entries(properties))('%s', (_, property) => {
    expect(property(subject)).toBeUndefined();
  });
});
