/** Commands: the same request is known again in every format, and another one never, over generated values. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createProtocols } from '../../src/formats/index.ts';
import { canonicalRequestText } from '../../src/idempotency/canonical-request.ts';
import { services } from '../../src/services/index.ts';
import { decode } from '../support/exchange.ts';
import { arbitrary } from '../support/generate.ts';
import { type Law, namesOf, operationsOf, runs, search, seed } from './property.ts';

const protocols = createProtocols(services);

/** The request as every format reads it. */
const formatsAgree: Law = (trial) => {
  const { service, operation } = trial;
  return search(arbitrary(operation.input), trial, (input) => {
    const commands = namesOf(protocols).map((name) => {
      const decoded = decode(protocols, name, protocols[name].encodeRequest(service, operation, input));
      return canonicalRequestText({ service, operation, input: decoded.input });
    });
    return new Set(commands).size === 1 ? undefined : commands.join('\n');
  });
};

/** Written again, by names: what a command must not tell apart. */
const essence = (value: unknown, name = ''): unknown => {
  if (Array.isArray(value)) return value.map((each) => essence(each));
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([key, each]) => key !== 'cvc' && each !== undefined);
    return entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, each]) => [key, essence(each, key)]);
  }
  return /^(expiry|start)Month$/.test(name) ? Number(value) : value;
};

/** Two requests are one command exactly where nothing that counts differs. */
const onlyTheSame: Law = (trial) => {
  const { service, operation } = trial;
  const one = arbitrary(operation.input) as fc.Arbitrary<Record<string, unknown>>;
  // Halves of two requests, so that they differ in one field as often as in all.
  const pairs = fc.tuple(one, one, fc.infiniteStream(fc.boolean())).map(([a, b, mix]) => {
    const mixed = Object.entries(a).map(([key, value]) => [key, mix.next().value && key in b ? b[key] : value]);
    return [a, Object.fromEntries(mixed)] as const;
  });
  return search(pairs, trial, ([a, b]) => {
    const same = JSON.stringify(essence(a)) === JSON.stringify(essence(b));
    return (canonicalRequestText({ service, operation, input: a }) ===
      canonicalRequestText({ service, operation, input: b })) ===
      same
      ? undefined
      : JSON.stringify([a, b]);
  });
};

describe.each(operationsOf(services))(`$title (LAW_SEED=${seed})`, ({ service, operation }) => {
  test.each(Object.entries({ formatsAgree, onlyTheSame }))('%s', (_, law) => {
    expect(law({ protocols, service, operation, runs })).toBeUndefined();
  });
});
