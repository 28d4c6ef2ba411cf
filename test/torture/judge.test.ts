/** The judge finds each kind of fault in a ledger that is right but for it. */
import { expect, test } from '@jest/globals';
import { type Effect, holds, judge, type Verdict } from './judge.ts';
import type { Answered, Entry, Sent } from './ledger.ts';
import { rightContracts, rightDigits } from './request.ts';

const run = 'run';
const asked = (id: number, also: Partial<Sent> = {}): Sent => ({
  ...{ what: 'sent', id, shopper: 's', key: 'A', body: 'right', protocol: 'json', place: 0 },
  ...also,
});
const answer = (id: number, also: Partial<Answered> = {}): Answered => ({
  ...{ what: 'answered', id, status: 200, transient: false, replayed: true, echoed: 'run-s-A' },
  ...{ pspReference: 'AAAAAAAAAAAAAAAA', canonical: '{}' },
  ...also,
});
const refused = { status: 422, code: '704', canonical: undefined };
const effect = (also: Partial<Effect> = {}): Effect => ({
  shopper: 's',
  kind: 'stored',
  contracts: rightContracts.join(),
  open_part: JSON.stringify({ card: { number: rightDigits, holderName: 'A' } }),
  ...also,
});

const right: readonly Entry[] = [
  asked(1),
  { what: 'unanswered', id: 1, reason: 'the connection broke' },
  asked(2),
  answer(2, { replayed: false }),
  asked(3, { body: 'other card' }),
  answer(3, refused),
  asked(4, { last: true }),
  answer(4),
];

test('what is right holds', () => {
  const verdict = judge(right, [effect()], run);
  expect(holds(verdict)).toBe(true);
  expect(verdict).toMatchObject({ keys: 1, requests: 4, disturbed: 1, findings: [] });
});

type Fault = 'doubled' | 'lost' | 'different' | 'wrong' | 'open';

const faults: readonly (readonly [string, Fault, readonly Entry[], readonly Effect[]])[] = [
  ['a second execution', 'doubled', right, [effect(), effect()]],
  ['a success without its effect', 'lost', right, []],
  ['another answer', 'different', [...right, asked(5), answer(5, { canonical: '{"a":1}' })], [effect()]],
  ['another reference', 'different', [...right, asked(5), answer(5, { pspReference: 'B'.repeat(16) })], [effect()]],
  ['an effect of another card', 'wrong', right, [effect(), effect({ open_part: '{"card":{"number":"0004"}}' })]],
  ['an effect of another contract', 'wrong', right, [effect(), effect({ contracts: 'PAYOUT' })]],
  ['an answer to another body', 'wrong', [...right, asked(5, { body: 'other contract' }), answer(5)], [effect()]],
  ['a second first answer', 'wrong', [...right, asked(5), answer(5, { replayed: false })], [effect()]],
  ['the echo of another key', 'wrong', [...right, asked(5), answer(5, { echoed: 'run-s-B' })], [effect()]],
  ['a success that says nothing', 'wrong', [...right.slice(0, -1), answer(4, { canonical: undefined })], [effect()]],
  [
    'a passing refusal of no known code',
    'wrong',
    [...right, asked(5), answer(5, { ...refused, code: '800', transient: true })],
    [effect()],
  ],
  ['no answer in the end', 'open', right.slice(0, -1), [effect()]],
];

test.each(faults)('%s is %s', (_, kind, entries, effects) => {
  const verdict: Verdict = judge(entries, effects, run);
  expect(verdict[kind]).toBe(1);
  expect(holds(verdict)).toBe(false);
  if (kind !== 'open') expect(verdict.findings).not.toHaveLength(0);
});
