/** The search for a stored card number by trying candidates: stopped by the quotas, and successful without them. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createLimits } from '../../src/access/limits/limits.ts';
import type { QuotaReached } from '../../src/access/limits/quota.ts';
import { appendLuhnDigit, isLuhnValid } from '../../src/core/contract/check-digits.ts';
import { createProtocols, namedProtocols } from '../../src/core/formats/wire-formats.ts';
import type { Answer } from '../../src/core/gateway/answer.ts';
import { services } from '../../src/payments/index.ts';
import {
  type CardSearchLimits,
  type CardSearchSettings,
  createCardSearchLimits,
  type Searched,
} from '../../src/payments/recurring/card-search-limits.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import { callers } from '../support/fixture.ts';
import { openGateway, type TestGateway } from '../support/gateway.ts';
import { implementServices } from '../support/services.ts';

const protocols = createProtocols(services);

/** As in docs/configuration.md. */
const defaults = { lookupMissesPerMinuteMax: 60, cardsStoredPerMinuteMax: 1_000, similarCardsPerDayMax: 50 };
const off = { lookupMissesPerMinuteMax: 0, cardsStoredPerMinuteMax: 0, similarCardsPerDayMax: 0 };
const triesMax = 100;

/** What the fixture has stored for shopper-1 is 411111 111111 1111: the search knows its first six and last four digits. */
function* candidates(): Generator<string> {
  for (let middle = 110_300; middle < 120_000; middle++) {
    const number = `411111${middle}1111`;
    if (isLuhnValid(number)) yield number;
  }
}

const cardOf = (number: string) => ({ number, expiryMonth: '8', expiryYear: '2031', holderName: 'Anna van Dijk' });
const merchantAccount = 'DemoMerchant';

interface Opened extends TestGateway {
  readonly reached: readonly QuotaReached[];
  readonly time: { now: number };
  call(operation: string, input: object, also?: Also): Promise<Answer>;
}

interface Also {
  readonly key?: string;
  readonly format?: number;
  /** The headers of a credential. */
  readonly as?: Readonly<Record<string, string>>;
}

const gateways: TestGateway[] = [];
afterAll(() => Promise.all(gateways.map((each) => each.close())));

const open = async (
  settings: Partial<CardSearchSettings> = {},
  change = (limits: CardSearchLimits): CardSearchLimits => limits,
): Promise<Opened> => {
  const reached: QuotaReached[] = [];
  const time = { now: Date.UTC(2026, 0, 15) };
  const clock = { now: () => ++time.now };
  const limits = createLimits(clock, (text) => text);
  limits.listen((event) => reached.push(event));
  const cardSearch = change(createCardSearchLimits({ ...defaults, ...settings }, limits));
  const gateway = await openGateway({ clock, implementations: (parts) => implementServices({ ...parts, cardSearch }) });
  gateways.push(gateway);
  let sent = 0;
  return {
    ...gateway,
    reached,
    time,
    // One format after the other, so that a limit of one format would stop nothing.
    call(operation, input, { key, format = sent++, as = callers.key } = {}) {
      const protocol = protocols[namedProtocols[format % namedProtocols.length]!];
      const { path, contentType, body } = protocol.encodeRequest(
        recurringV25,
        recurringV25.operations.get(operation)!,
        input,
      );
      const headers = {
        'content-type': contentType,
        ...(key !== undefined && { 'idempotency-key': key }),
        ...as,
      };
      return gateway.ask({ path, headers, body });
    },
  };
};

interface Search {
  readonly tries: number;
  readonly found?: string;
  readonly refused?: Answer;
}

/** Stops at the number that is stored, or at the first refusal. */
const search = async (triedBy: (number: string) => Promise<{ answer: Answer; isFound: boolean }>): Promise<Search> => {
  let tries = 0;
  for (const number of candidates()) {
    tries += 1;
    const { answer, isFound } = await triedBy(number);
    if (answer.entry.outcome !== 'ok') return { tries, refused: answer };
    if (isFound) return { tries, found: number };
  }
  return { tries };
};

const byLookup =
  (gateway: Opened, also: Also = {}) =>
  async (number: string) => {
    const answer = await gateway.call('tokenLookup', { merchantAccount, card: cardOf(number) }, also);
    return { answer, isFound: answer.message.body.includes('shopper-1') };
  };

/** The alias of the stored card is known from a list. */
const byAlias = (gateway: Opened, alias: string) => async (number: string) => {
  const answer = await store(gateway, `search-${number}`, number);
  return { answer, isFound: answer.message.body.includes(alias) };
};

const store = (gateway: Opened, shopperReference: string, number: string, key?: string) =>
  gateway.call(
    'storeToken',
    { merchantAccount, shopperReference, card: cardOf(number), recurring: { contract: ['RECURRING'] } },
    key === undefined ? {} : { key },
  );

const aliasOfShopper1 = async (gateway: Opened): Promise<string> => {
  const list = await gateway.call(
    'listRecurringDetails',
    { merchantAccount, shopperReference: 'shopper-1' },
    { format: 2 },
  );
  return JSON.parse(list.message.body).details[0].RecurringDetail.alias;
};

describe.each([
  ['tokenLookup', async (gateway: Opened) => byLookup(gateway)],
  ['tokenLookup with one Idempotency-Key', async (gateway: Opened) => byLookup(gateway, { key: 'the-same-key' })],
  ['storeToken, by the alias', async (gateway: Opened) => byAlias(gateway, await aliasOfShopper1(gateway))],
])('the search by %s', (_, prepare) => {
  test('is refused with 429 within 100 tries, and the refusal is counted', async () => {
    const gateway = await open();
    const { tries, found, refused } = await search(await prepare(gateway));
    expect(found).toBeUndefined();
    expect(tries).toBeLessThan(triesMax);
    expect(refused?.entry.outcome).toBe('tooManyRequests');
    expect(refused?.message).toMatchObject({
      status: 429,
      headers: { 'transient-error': 'true', 'Retry-After': expect.stringMatching(/^[1-9]\d*$/) },
    });
    expect(gateway.reached).toEqual([
      expect.objectContaining({ limit: 'similarCards', actor: refused?.entry.credential }),
    ]);
  });

  test('finds the number where nothing is limited', async () => {
    const gateway = await open(off);
    const { found } = await search(await prepare(gateway));
    expect(found).toBe('4111111111111111');
  });
});

test('a caller over the quota does not see what is stored either', async () => {
  const gateway = await open();
  await search(byLookup(gateway));
  const { answer } = await byLookup(gateway)('4111111111111111');
  expect(answer.entry.outcome).toBe('tooManyRequests');
});

describe('the credentials of one company', () => {
  const credentials = [callers.key, callers.demo];

  /** How many numbers are told as not stored before the first refusal, if the credentials take turns. */
  const triesOf = async (gateway: Opened): Promise<number> => {
    let tries = 0;
    const { refused } = await search((number) => byLookup(gateway, { as: credentials[tries++ % 2]! })(number));
    expect(refused?.entry.outcome ?? 'found').toMatch(/tooManyRequests|found/);
    return tries;
  };

  test('have one quota', async () => {
    expect(await triesOf(await open())).toBe(51);
  });

  test('control: with a quota each they find the number', async () => {
    const byCredential = ({ countMiss, countStored, checkLookup, checkStore }: CardSearchLimits): CardSearchLimits => {
      const own = (searched: Searched): Searched => ({ ...searched, tenant: searched.credential });
      return {
        checkLookup: (searched) => checkLookup(own(searched)),
        checkStore: (searched) => checkStore(own(searched)),
        countMiss: (searched, fingerprint) => countMiss(own(searched), fingerprint),
        countStored: (searched, fingerprint) => countStored(own(searched), fingerprint),
      };
    };
    const gateway = await open({}, byCredential);
    expect(await triesOf(gateway)).toBe(82);
    expect(gateway.reached).toEqual([]);
  });
});

test('a clock that is set back or moved on by the quota of a minute frees no similar card', async () => {
  const gateway = await open();
  const { tries } = await search(byLookup(gateway));
  expect(tries).toBe(51);
  for (const jumpMs of [-86_400_000, 3_600_000, -3_600_000]) {
    gateway.time.now += jumpMs;
    const { answer } = await byLookup(gateway)('4111111111111111');
    expect(answer.entry.outcome).toBe('tooManyRequests');
  }
});

test('lookups of numbers that differ everywhere are refused, too', async () => {
  const gateway = await open();
  const outcomes = new Set<string>();
  let tries = 0;
  for (; tries < triesMax && !outcomes.has('tooManyRequests'); tries++) {
    const { answer } = await byLookup(gateway)(distinctCard(tries));
    outcomes.add(answer.entry.outcome);
  }
  expect([...outcomes]).toEqual(['ok', 'tooManyRequests']);
  expect(gateway.reached).toMatchObject([{ limit: 'lookupMisses' }]);
});

test('the same unknown number may be looked up without end', async () => {
  const gateway = await open();
  for (let time = 0; time < 200; time++)
    expect((await byLookup(gateway)(distinctCard(1))).answer.entry.outcome).toBe('ok');
});

test('a retry of a stored request is answered though its caller is over the quota, and tells nothing new', async () => {
  const gateway = await open({ cardsStoredPerMinuteMax: 1 });
  const first = await store(gateway, 'retrying', distinctCard(1), 'key-of-the-first');
  expect(first.entry.outcome).toBe('ok');
  expect((await store(gateway, 'retrying', distinctCard(2), 'key-of-the-second')).entry.outcome).toBe(
    'tooManyRequests',
  );
  expect((await store(gateway, 'retrying', distinctCard(1), 'key-of-the-first')).entry).toMatchObject({
    outcome: 'ok',
    replayed: true,
  });
  expect((await store(gateway, 'retrying', distinctCard(2), 'key-of-the-second')).entry.outcome).toBe(
    'tooManyRequests',
  );
});

test('what is refused is not stored', async () => {
  const gateway = await open({ similarCardsPerDayMax: 1 });
  const [one, other] = candidates();
  expect((await store(gateway, 'limited', one!)).entry.outcome).toBe('ok');
  expect((await store(gateway, 'limited', other!)).entry.outcome).toBe('tooManyRequests');
  const list = await gateway.call(
    'listRecurringDetails',
    { merchantAccount, shopperReference: 'limited' },
    { format: 2 },
  );
  expect(JSON.parse(list.message.body).details).toHaveLength(1);
});

describe('a checkout', () => {
  let gateway: Opened;
  beforeAll(async () => {
    gateway = await open();
  });

  test('of 400 new shoppers in a minute, with lists, lookups and second cards, is never refused', async () => {
    const outcomes = new Set<string>();
    for (let shopper = 0; shopper < 400; shopper++) {
      const shopperReference = `new-${shopper}`;
      const number = distinctCard(shopper);
      const steps = [
        () => store(gateway, shopperReference, number),
        () => gateway.call('listRecurringDetails', { merchantAccount, shopperReference }),
        () => gateway.call('tokenLookup', { merchantAccount, card: cardOf(number) }),
        () => store(gateway, shopperReference, shopper % 3 === 0 ? distinctCard(1_000 + shopper) : number),
      ];
      for (const step of steps) outcomes.add((await step()).entry.outcome);
    }
    expect([...outcomes]).toEqual(['ok']);
    expect(gateway.reached).toEqual([]);
  });
});

/** A visa number whose digits vary everywhere behind the first one. */
function distinctCard(seed: number): string {
  const start = String((seed * 7_368_787 + 12_345_678) % 100_000_000).padStart(8, '0');
  return appendLuhnDigit(`4${start}${String((seed * 104_729) % 1_000_000).padStart(6, '0')}`);
}
