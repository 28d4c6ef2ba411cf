/** The judge finds each kind of fault in a ledger that is right but for it. */
import { expect, test } from '@jest/globals';
import { doubledIn, type Effect, holds, judge, type Verdict } from './checker.ts';
import type { Answered, Entry, Sent } from './history.ts';
import type { KeyName } from './request.ts';
import { rightLegalEntity } from './tracks/account-holder.ts';
import { rightCurrency } from './tracks/balance-account.ts';
import { accounts, described, elsewhere, holder } from './tracks/platform.ts';
import { rightContracts, rightDigits } from './tracks/recurring.ts';
import type { Row } from './tracks/track.ts';

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
/** Two keys of a shopper, the second about what the first one made. */
const inOrder = (first: KeyName, second: KeyName): readonly Entry[] => [
  asked(1, { key: first }),
  answer(1, { replayed: false, echoed: `run-s-${first}` }),
  asked(2, { key: first, last: true }),
  answer(2, { echoed: `run-s-${first}` }),
  asked(3, { key: second, made: 'ID1', last: true }),
  answer(3, { replayed: false, echoed: `run-s-${second}` }),
];
const activated = inOrder('create', 'activate');
const made = instrument('create', 'inactive');
const active = instrument('activate', 'active');

test('a card that was made and activated once holds', () => {
  expect(judge(activated, [made, active], run)).toMatchObject({ keys: 2, wrong: 0, findings: [] });
  expect(holds(judge(activated, [made, active], run))).toBe(true);
});

/** A track on which a record says by its description which key it is the effect of. */
interface DescribedTrack {
  readonly resource: string;
  /** As the right bodies make it; each of `others` as a wrong one would. */
  readonly own: object;
  readonly others: Readonly<Record<string, object>>;
  readonly table: string;
  /** The first one makes it; the third one is not used here. */
  readonly keys: readonly [KeyName, KeyName, KeyName];
}

const holders: DescribedTrack = {
  resource: 'account holder',
  own: { legalEntityId: rightLegalEntity },
  others: { 'legal entity': { legalEntityId: 'LE1' } },
  table: 'account_holder',
  keys: ['enrol', 'rename', 'retitle'],
};
const openedAccounts: DescribedTrack = {
  resource: 'balance account',
  own: { accountHolderId: holder, defaultCurrencyCode: rightCurrency },
  others: { currency: { defaultCurrencyCode: 'USD' }, holder: { accountHolderId: 'AH1' } },
  table: 'balance_account',
  keys: ['open', 'label', 'relabel'],
};
const describedTracks = [holders, openedAccounts];

const stateOf = ({ table, own }: DescribedTrack, also: object): Effect =>
  effectOf(table, { record: JSON.stringify({ reference: 's', ...own, ...also }) });
const statesOf = (track: DescribedTrack): readonly Effect[] =>
  track.keys.slice(0, 2).map((key) => stateOf(track, described(key)));

test.each(describedTracks)('$resource: one that was made and changed once holds', (track) => {
  const [first, second] = track.keys;
  const verdict = judge(inOrder(first, second), statesOf(track), run);
  expect(verdict).toMatchObject({ keys: 2, wrong: 0, findings: [] });
  expect(holds(verdict)).toBe(true);
});

test('what was doubled is told by its role', () => {
  expect(judge(activated, [made, active, active], run).doubledIn).toEqual({ recurring: 0, balancePlatform: 1 });
  expect(judge(right, [effect(), effect()], run).doubledIn).toEqual({ recurring: 1, balancePlatform: 0 });
  expect(doubledIn([effect(), effect(), made])).toEqual({ recurring: 1, balancePlatform: 0 });
  expect(doubledIn([effect(), made, made, active])).toEqual({ recurring: 0, balancePlatform: 1 });
  const states = describedTracks.flatMap(statesOf);
  expect(doubledIn([effect(), ...states])).toEqual({ recurring: 0, balancePlatform: 0 });
  expect(doubledIn([effect(), ...states, ...states])).toEqual({ recurring: 0, balancePlatform: 4 });
});

type Fault = 'doubled' | 'lost' | 'different' | 'wrong' | 'open';
type Case = readonly [string, Fault, readonly Entry[], readonly Effect[]];

const faultsOf = (track: DescribedTrack): readonly Case[] => {
  const { resource, keys, others } = track;
  const [first, second, third] = keys;
  const entries = inOrder(first, second);
  const states = statesOf(track);
  const [creation, change] = states;
  const beside = (also: object) => [...states, stateOf(track, also)];
  const echoed = `run-s-${second}`;
  const again = asked(4, { key: second, made: 'ID1' });
  const cases: readonly Case[] = [
    ['a second one', 'doubled', entries, beside({ id: 'ID2', ...described(first) })],
    ['a second change', 'doubled', entries, beside(described(second))],
    ['one that is not there', 'lost', entries, [change!]],
    ['a change that is not there', 'lost', entries, [creation!]],
    ['another answer', 'different', [...entries, again, answer(4, { echoed, canonical: '[["id","ID2"]]' })], states],
    ['a change that is refused', 'wrong', [...entries, again, answer(4, { echoed, ...refused })], states],
    ['one in another time zone', 'wrong', entries, beside(elsewhere(first))],
    ['a change of another time zone', 'wrong', entries, beside(elsewhere(second))],
    ['a change that no key was sent for', 'wrong', entries, beside(described(third))],
    ['a change that no key describes', 'wrong', entries, beside({ ...described(second), description: undefined })],
    ["another shopper's", 'wrong', entries, beside({ reference: 't', ...described(first) })],
    ...Object.entries(others).map(
      ([name, other]): Case => [`one of another ${name}`, 'wrong', entries, beside({ ...described(first), ...other })],
    ),
  ];
  return cases.map(([name, ...rest]) => [`${resource}: ${name}`, ...rest]);
};

const faults: readonly Case[] = [
  ...describedTracks.flatMap(faultsOf),
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
