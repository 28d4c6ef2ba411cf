/** Two requests have one canonical text exactly where they differ only in what is never stored or written in two ways. */
import fc from 'fast-check';
import { canonicalRequestText } from '../../src/core/idempotency/canonical-request.ts';
import { arbitrary } from '../support/generate.ts';
import { type Subject, search } from './property.ts';

const neverStored: ReadonlySet<string> = new Set(['cvc', 'password', 'recurringExpiry', 'recurringFrequency']);

/** The oracle: the parts of a request that the text must identify. */
const essence = (value: unknown, name = ''): unknown => {
  if (Array.isArray(value)) return value.map((each) => essence(each));
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([key, each]) => !neverStored.has(key) && each !== undefined);
    return entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, each]) => [key, essence(each, key)]);
  }
  return /^(expiry|start)Month$/.test(name) ? Number(value) : value;
};

/** Two requests have one text exactly where their essence is equal. */
export const canonicalTextIdentifiesRequest = (
  subject: Pick<Subject, 'service' | 'operation' | 'runs' | 'unshrunk'>,
) => {
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
