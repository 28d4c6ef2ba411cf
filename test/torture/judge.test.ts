/** The judge finds each kind of fault in a ledger that is right but for it. */
import { expect, test } from '@jest/globals';
import { doubledIn, type Effect, holds, judge, type Verdict } from './judge.ts';
import type { Answered, Entry, Sent } from './ledger.ts';
import { accounts } from './platform-track.ts';
import { rightContracts, rightDigits } from './recurring-track.ts';
import type { Row } from './track.ts';

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
const effectOf = (written: string, row: Row): Effect => ({ written, row: JSON.stringify(row) });
const effect = (also: Row = {}): Effect =>
  effectOf('stored_detail', {
    ...{ shopper_reference: 's', disabled_at: null, contracts: rightContracts.join() },
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

const instrument = (key: string, status: string, also: object = {}, row: Row = {}): Effect =>
  effectOf('payment_instrument', {
    ...{ id: 'PI1', status, number_fingerprint: 'one' },
    record: JSON.stringify({
      ...{ reference: 's', statusReason: 'other', statusComment: key, balanceAccountId: accounts.right },
      card: { brandVariant: 'visadebit' },
      ...also,
    }),
    ...row,
  });
const activated: readonly Entry[] = [
  asked(1, { key: 'create' }),
  answer(1, { replayed: false, echoed: 'run-s-create' }),
  asked(2, { key: 'create', last: true }),
  answer(2, { echoed: 'run-s-create' }),
  asked(3, { key: 'activate', made: 'PI1', last: true }),
  answer(3, { replayed: false, echoed: 'run-s-activate' }),
];
const made = instrument('create', 'inactive');
const active = instrument('activate', 'active');

test('a card that was made and activated once holds', () => {
  expect(judge(activated, [made, active], run)).toMatchObject({ keys: 2, wrong: 0, findings: [] });
  expect(holds(judge(activated, [made, active], run))).toBe(true);
});

test('what was doubled is told by its track', () => {
  expect(judge(activated, [made, active, active], run).doubledIn).toEqual({ recurring: 0, platform: 1 });
  expect(judge(right, [effect(), effect()], run).doubledIn).toEqual({ recurring: 1, platform: 0 });
  expect(doubledIn([effect(), effect(), made])).toEqual({ recurring: 1, platform: 0 });
  expect(doubledIn([effect(), made, made, active])).toEqual({ recurring: 0, platform: 1 });
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
  [
    'a second card',
    'doubled',
    activated,
    [made, active, instrument('create', 'inactive', {}, { id: 'PI2', number_fingerprint: 'two' })],
  ],
  ['a second activation', 'doubled', activated, [made, active, active]],
  ['an activation that is not there', 'lost', activated, [made]],
  [
    'a second id',
    'different',
    [...activated, asked(4, { key: 'create' }), answer(4, { echoed: 'run-s-create', canonical: '[["id","PI2"]]' })],
    [made, active],
  ],
  [
    'a card of another variant',
    'wrong',
    activated,
    [made, active, instrument('create', 'inactive', { card: { brandVariant: 'visaprepaid' } })],
  ],
  [
    'a card of another account',
    'wrong',
    activated,
    [made, active, instrument('create', 'inactive', { balanceAccountId: accounts.other })],
  ],
  ['an activation that closes', 'wrong', activated, [made, active, instrument('activate', 'closed')]],
  [
    'an activation for another reason',
    'wrong',
    activated,
    [made, active, instrument('activate', 'active', { statusReason: 'damaged' })],
  ],
  ['a number issued twice', 'wrong', activated, [made, instrument('activate', 'active', {}, { id: 'PI2' })]],
];

test.each(faults)('%s is %s', (_, kind, entries, effects) => {
  const verdict: Verdict = judge(entries, effects, run);
  expect(verdict[kind]).toBe(1);
  expect(holds(verdict)).toBe(false);
  if (kind !== 'open') expect(verdict.findings).not.toHaveLength(0);
});
