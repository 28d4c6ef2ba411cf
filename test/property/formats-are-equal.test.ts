/** The laws of equal formats, over every operation of every service and all protocols at once. */
import { describe, expect, test } from '@jest/globals';
import { createProtocols } from '../../src/formats/index.ts';
import { services } from '../../src/services/index.ts';
import { type Law, operationsOf, runs, seed } from './property.ts';
import { refusalsAgree, spellingsAgree, unspeakableRefused } from './refusal.ts';
import { answersReturn, protocolsAgree, requestsReturn } from './round-trip.ts';

const laws: Readonly<Record<string, Law>> = {
  'a request is read as it was meant': requestsReturn,
  'an answer is heard as it was given': answersReturn,
  'the protocols agree on a request': protocolsAgree,
  'the protocols agree on other spellings': spellingsAgree,
  'the protocols refuse alike': refusalsAgree,
  'what one cannot say, none takes': unspeakableRefused,
};

const protocols = createProtocols(services);
describe.each(operationsOf(services))(`$title (LAW_SEED=${seed})`, ({ service, operation }) => {
  test.each(Object.entries(laws))('%s', (_, law) => {
    expect(law({ protocols, service, operation, runs })).toBeUndefined();
  });
});
