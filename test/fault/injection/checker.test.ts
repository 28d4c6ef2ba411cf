/** The checker finds each kind of fault in a history that is otherwise correct. */
import { expect, test } from '@jest/globals';
import { trackMetadata } from '../../resources/account-holder.ts';
import { trackCurrency } from '../../resources/balance-account.ts';
import { described, otherTimeZone, trackAccounts, trackHolder } from '../../resources/platform-track.ts';
import type { Row } from '../../resources/resource.ts';
import { trackContracts, trackLastFour } from '../../resources/stored-detail-track.ts';
import { checkHistory, doubledIn, type Effect, isClean, type Verdict } from './checker.ts';
import type { Answered, HistoryEntry, Sent } from './history.ts';

const run = 'run';
const sent = (number: number, also: Partial<Sent> = {}): Sent => ({
  ...{ what: 'sent', number, shopper: 's', key: 'A', body: 'right', format: 'json', server: 0 },
  ...also,
});
const answer = (number: number, also: Partial<Answered> = {}): Answered => ({
  ...{ what: 'answered', number, status: 200, transient: false, replayed: true, echoedKey: 'run-s-A' },
  ...{ pspReference: 'AAAAAAAAAAAAAAAA', canonical: '{}' },
  ...also,
});
const refused = { status: 422, code: '704', canonical: undefined };
const effectOf = (written: string, row: Row): Effect => ({ written, row: JSON.stringify(row) });
const effect = (also: Row = {}): Effect =>
  effectOf('stored_detail', {
    ...{ shopper_reference: 's', disabled_at: null, contracts: trackContracts.join() },
    public_data: JSON.stringify({ card: { number: trackLastFour, holderName: 'A' } }),
    ...also,
  });

const right: readonly HistoryEntry[] = [
  sent(1),
  { what: 'unanswered', number: 1, reason: 'the connection broke' },
  sent(2),
  answer(2, { replayed: false }),
  sent(3, { body: 'other card' }),
  answer(3, refused),
  sent(4, { last: true }),
  answer(4),
];

test('a correct history is clean', () => {
  const verdict = checkHistory(right, [effect()], run);
  expect(isClean(verdict)).toBe(true);
  expect(verdict).toMatchObject({ keys: 1, requests: 4, disturbed: 1, findings: [] });
});

const instrument = (key: string, status: string, also: object = {}, row: Row = {}): Effect =>
  effectOf('payment_instrument', {
    ...{ id: 'PI1', status, number_fingerprint: 'one' },
    record: JSON.stringify({
      ...{ reference: 's', statusReason: 'other', statusComment: key, balanceAccountId: trackAccounts.right },
      card: { brandVariant: 'visadebit' },
      ...also,
    }),
    ...row,
  });
/** Two keys of a shopper, the second about the resource that the first one created. */
const inOrder = (first: string, second: string): readonly HistoryEntry[] => [
  sent(1, { key: first }),
  answer(1, { replayed: false, echoedKey: `run-s-${first}` }),
  sent(2, { key: first, last: true }),
  answer(2, { echoedKey: `run-s-${first}` }),
  sent(3, { key: second, id: 'ID1', last: true }),
  answer(3, { replayed: false, echoedKey: `run-s-${second}` }),
];
const activated = inOrder('create', 'activate');
const created = instrument('create', 'inactive');
const active = instrument('activate', 'active');

test('a card that was created and activated once is clean', () => {
  expect(checkHistory(activated, [created, active], run)).toMatchObject({ keys: 2, wrong: 0, findings: [] });
  expect(isClean(checkHistory(activated, [created, active], run))).toBe(true);
});

/** A track whose records name their key in the description. */
interface DescribedTrack {
  readonly resource: string;
  /** Members that the right bodies set; each of `others` as another body sets them. */
  readonly own: object;
  readonly others: Readonly<Record<string, object>>;
  readonly table: string;
  /** The first one creates the resource; the third one is not used here. */
  readonly keys: readonly [string, string, string];
}

const accountHolders: DescribedTrack = {
  resource: 'account holder',
  own: { metadata: trackMetadata },
  others: { metadata: { metadata: { body: 'other' } } },
  table: 'account_holder',
  keys: ['enrol', 'rename', 'retitle'],
};
const balanceAccounts: DescribedTrack = {
  resource: 'balance account',
  own: { accountHolderId: trackHolder, defaultCurrencyCode: trackCurrency },
  others: { currency: { defaultCurrencyCode: 'USD' }, holder: { accountHolderId: 'AH1' } },
  table: 'balance_account',
  keys: ['open', 'label', 'relabel'],
};
const describedTracks = [accountHolders, balanceAccounts];

const stateOf = ({ table, own }: DescribedTrack, also: object): Effect =>
  effectOf(table, { record: JSON.stringify({ reference: 's', ...own, ...also }) });
const statesOf = (track: DescribedTrack): readonly Effect[] =>
  track.keys.slice(0, 2).map((key) => stateOf(track, described(key)));

test.each(describedTracks)('$resource: one that was created and changed once is clean', (track) => {
  const [first, second] = track.keys;
  const verdict = checkHistory(inOrder(first, second), statesOf(track), run);
  expect(verdict).toMatchObject({ keys: 2, wrong: 0, findings: [] });
  expect(isClean(verdict)).toBe(true);
});

test('doubled effects are counted by role', () => {
  expect(checkHistory(activated, [created, active, active], run).doubledIn).toEqual({
    recurring: 0,
    balancePlatform: 1,
    vouchers: 0,
  });
  expect(checkHistory(right, [effect(), effect()], run).doubledIn).toEqual({
    recurring: 1,
    balancePlatform: 0,
    vouchers: 0,
  });
  expect(doubledIn([effect(), effect(), created])).toEqual({ recurring: 1, balancePlatform: 0, vouchers: 0 });
  expect(doubledIn([effect(), created, created, active])).toEqual({ recurring: 0, balancePlatform: 1, vouchers: 0 });
  const states = describedTracks.flatMap(statesOf);
  expect(doubledIn([effect(), ...states])).toEqual({ recurring: 0, balancePlatform: 0, vouchers: 0 });
  expect(doubledIn([effect(), ...states, ...states])).toEqual({ recurring: 0, balancePlatform: 4, vouchers: 0 });
});

const payment = inOrder('issue', 'pay');
const leaving = (amount: number): Effect => effectOf('voucher', { holder: 's', amount: String(amount) });
const [issued, paid] = [leaving(1_000_000), leaving(999_000)];

test('a voucher that was issued and paid with once is clean', () => {
  expect(checkHistory(payment, [issued, paid], run)).toMatchObject({ keys: 2, wrong: 0, findings: [] });
});

type Fault = 'doubled' | 'lost' | 'different' | 'wrong' | 'open';
type Case = readonly [string, Fault, readonly HistoryEntry[], readonly Effect[]];

const faultsOf = (track: DescribedTrack): readonly Case[] => {
  const { resource, keys, others } = track;
  const [first, second, third] = keys;
  const entries = inOrder(first, second);
  const states = statesOf(track);
  const [creation, change] = states;
  const withState = (also: object) => [...states, stateOf(track, also)];
  const echoedKey = `run-s-${second}`;
  const again = sent(4, { key: second, id: 'ID1' });
  const cases: readonly Case[] = [
    ['a second creation', 'doubled', entries, withState({ id: 'ID2', ...described(first) })],
    ['a second change', 'doubled', entries, withState(described(second))],
    ['a creation without its effect', 'lost', entries, [change!]],
    ['a change without its effect', 'lost', entries, [creation!]],
    ['another answer', 'different', [...entries, again, answer(4, { echoedKey, canonical: '[["id","ID2"]]' })], states],
    ['a change that is refused', 'wrong', [...entries, again, answer(4, { echoedKey, ...refused })], states],
    ['one in another time zone', 'wrong', entries, withState(otherTimeZone(first))],
    ['a change of another time zone', 'wrong', entries, withState(otherTimeZone(second))],
    ['a change of a key that was not sent', 'wrong', entries, withState(described(third))],
    ['a change without a key', 'wrong', entries, withState({ ...described(second), description: undefined })],
    ["another shopper's", 'wrong', entries, withState({ reference: 't', ...described(first) })],
    ...Object.entries(others).map(
      ([name, other]): Case => [
        `one of another ${name}`,
        'wrong',
        entries,
        withState({ ...described(first), ...other }),
      ],
    ),
  ];
  return cases.map(([name, ...rest]) => [`${resource}: ${name}`, ...rest]);
};

const faults: readonly Case[] = [
  ...describedTracks.flatMap(faultsOf),
  ['a second execution', 'doubled', right, [effect(), effect()]],
  ['a success without its effect', 'lost', right, []],
  ['another answer', 'different', [...right, sent(5), answer(5, { canonical: '{"a":1}' })], [effect()]],
  ['another reference', 'different', [...right, sent(5), answer(5, { pspReference: 'B'.repeat(16) })], [effect()]],
  ['an effect of another card', 'wrong', right, [effect(), effect({ public_data: '{"card":{"number":"0004"}}' })]],
  ['an effect of another contract', 'wrong', right, [effect(), effect({ contracts: 'PAYOUT' })]],
  ['an answer to another body', 'wrong', [...right, sent(5, { body: 'other contract' }), answer(5)], [effect()]],
  ['a second original answer', 'wrong', [...right, sent(5), answer(5, { replayed: false })], [effect()]],
  ['another echoed key', 'wrong', [...right, sent(5), answer(5, { echoedKey: 'run-s-B' })], [effect()]],
  ['a success without content', 'wrong', [...right.slice(0, -1), answer(4, { canonical: undefined })], [effect()]],
  [
    'a transient refusal with an unknown code',
    'wrong',
    [...right, sent(5), answer(5, { ...refused, code: '800', transient: true })],
    [effect()],
  ],
  ['no final answer', 'open', right.slice(0, -1), [effect()]],
  [
    'a second card',
    'doubled',
    activated,
    [created, active, instrument('create', 'inactive', {}, { id: 'PI2', number_fingerprint: 'two' })],
  ],
  ['a second activation', 'doubled', activated, [created, active, active]],
  ['an activation without its effect', 'lost', activated, [created]],
  [
    'a second id',
    'different',
    [...activated, sent(4, { key: 'create' }), answer(4, { echoedKey: 'run-s-create', canonical: '[["id","PI2"]]' })],
    [created, active],
  ],
  [
    'a card of another variant',
    'wrong',
    activated,
    [created, active, instrument('create', 'inactive', { card: { brandVariant: 'visaprepaid' } })],
  ],
  [
    'a card of another account',
    'wrong',
    activated,
    [created, active, instrument('create', 'inactive', { balanceAccountId: trackAccounts.other })],
  ],
  ['an activation that closes', 'wrong', activated, [created, active, instrument('activate', 'closed')]],
  [
    'an activation for another reason',
    'wrong',
    activated,
    [created, active, instrument('activate', 'active', { statusReason: 'damaged' })],
  ],
  ['a second payment', 'doubled', payment, [issued, paid, leaving(998_000)]],
  ['a payment without its effect', 'lost', payment, [issued]],
  ['a payment of another amount', 'wrong', payment, [issued, paid, leaving(998_950)]],
  ['a number issued twice', 'wrong', activated, [created, instrument('activate', 'active', {}, { id: 'PI2' })]],
];

test.each(faults)('%s is %s', (_, kind, entries, effects) => {
  const verdict: Verdict = checkHistory(entries, effects, run);
  expect(verdict[kind]).toBe(1);
  expect(isClean(verdict)).toBe(false);
  if (kind !== 'open') expect(verdict.findings).not.toHaveLength(0);
});
