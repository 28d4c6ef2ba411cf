/**
 * Gateways in front of a JSON-only server are killed under load, on SQLite and, two of them, on PostgreSQL: no effect doubled, none
 * lost, and what is unknown is listed. `KILLS=30` is the long run.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createProtocols, namedProtocols } from '../../../src/core/formats/wire-formats.ts';
import { services } from '../../../src/payments/index.ts';
import { recurringV25 } from '../../../src/payments/recurring/versions.ts';
import { Random } from '../../simulation/random.ts';
import { triglyph, type Variables } from '../../support/commands.ts';
import { startJsonServer } from '../../support/json-server.ts';
import { type Postgres, startPostgres } from '../../support/postgres.ts';
import { type RedisServer, startRedis } from '../../support/redis.ts';
import { repeatCommand, seed } from '../../support/seed.ts';
import { basic, prepareProduction } from '../../support/server.ts';
import { storedTokenLookup } from '../../support/stored-token-lookup.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { isFoundWithin, until } from '../../support/until.ts';
import type { Fleet } from '../injection/fleet.ts';
import { isLongRun, kills, runUnderKills, sendTo, settleAll } from '../injection/kill-run.ts';
import { type Defect, startFaultyUpstream } from './faulty-upstream.ts';
import { type Mode, modes } from './matrix.ts';

const random = new Random(seed);
const storeToken = recurringV25.operations.get('storeToken')!;
const protocols = createProtocols(services);
const card = { number: '4111111111111111', expiryMonth: '8', expiryYear: '2031', holderName: 'Anna van Dijk' };

beforeAll(
  () => void process.stderr.write(`repeat with ${repeatCommand('test/fault/upstream/upstream-kills.test.ts')}\n`),
);

interface Plan {
  readonly mode: Mode;
  readonly kills: number;
  /** Two need PostgreSQL. */
  readonly gateways: 1 | 2;
  readonly databaseUrl?: string;
  /** Replaces the database. */
  readonly redisStoreUrl?: string;
  /** Nothing is stored. */
  readonly isStateless?: true;
  readonly defect?: Defect;
  /** The upstream takes this long before and after its effect, at most; 25 ms by default. */
  readonly delayMsMax?: number;
  /** The gateway asks for unknown outcomes, by retries of callers and, with a credential of its own, by itself. */
  readonly asks?: 'forward' | 'own credential';
  /** A second server next to the upstream, for a gateway with a store: it answers half of the requests, or gets a copy of each. */
  readonly shadow?: 'answers' | 'sandbox';
}

const sentAfterKills = 20;

/** A request for a shopper of its own. */
interface Sent {
  readonly shopper: string;
  readonly key: string | undefined;
  readonly format: number;
  result: 'stored' | 'unknown' | 'refused' | 'cut off' | 'down';
}

/** Stores tokens through gateways that are killed and restarted, and compares the answers with what the upstream did. */
async function storeTokensUnderKills(plan: Plan) {
  const { mode, kills, gateways, databaseUrl, redisStoreUrl, isStateless, defect, asks, shadow } = plan;
  const { path: folder, discard } = tempFolder();
  const { credential, variables: prepared } = await prepareProduction(
    folder,
    databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl },
  );
  const variables = {
    ...prepared,
    ...(redisStoreUrl !== undefined && { REDIS_STORE_URL: redisStoreUrl }),
    ...(isStateless && { STATELESS: 'on' }),
  };
  const hasDatabase = redisStoreUrl === undefined && !isStateless;
  const authorization = basic(credential.username, credential.secret);
  const accounts = ['AcmeWeb'];
  const startServer = () =>
    startJsonServer({
      deduplicate: mode === 'header',
      credentials: { [authorization]: { accounts } },
      details: [],
    });
  const jsonServer = await startServer();
  const second = shadow && (await startServer());
  const delayMs = () => random.below(plan.delayMsMax ?? 25);
  const fate = () => (random.chance(0.1) ? 'answer lost' : random.chance(0.1) ? 'request lost' : 'answered');
  const upstream = await startFaultyUpstream({
    target: jsonServer.origin,
    ...{ delayMs, defect },
    ...(asks !== undefined && { fate }),
  });
  const secondUpstream = second && (await startFaultyUpstream({ target: second.origin, delayMs, defect }));
  const timeouts = { connectMs: 1_000, headersMs: 1_000, bodyMs: 1_000, totalMs: 2_000 };
  const url = `http://127.0.0.1:${upstream.port}`;
  const own = { basic: { username: credential.username, password: { inClear: credential.secret } } };
  const json = {
    ...{ url, idempotency: mode, timeouts },
    credentials: asks === 'own credential' ? own : 'forward',
    ...(asks !== undefined && { lookups: storedTokenLookup(2_000) }),
    ...(secondUpstream && {
      shadow: {
        ...{ url: `http://127.0.0.1:${secondUpstream.port}`, credentials: 'forward', idempotency: mode, timeouts },
        // Kills are no reason for the way back.
        rollback: { errors: 100, differences: 100 },
        ...(shadow === 'sandbox' ? { writes: 'sandbox' } : { spread: 'request' }),
      },
    }),
  };
  const config = {
    upstreams: { json },
    answeredBy: { Recurring: 'json', ...(!hasDatabase && { BalancePlatform: 'json' }) },
  };
  writeFileSync(join(folder, 'triglyph.config.json'), JSON.stringify(config));
  const all: Sent[] = [];
  const moveShare = async (...parameters: readonly string[]): Promise<void> => {
    if (shadow !== 'answers') return;
    const { code, stderr } = await triglyph(['shadow', ...parameters], folder, variables);
    if (code !== 0) throw new Error(`triglyph shadow ended with ${code}: ${stderr}`);
  };
  await moveShare('switch', 'json', '50');

  async function send(fleet: Fleet, sent: Sent, round: number, at: number): Promise<void> {
    const { shopper, key, format } = sent;
    const protocol = protocols[namedProtocols[(format + round) % namedProtocols.length]!];
    const input = {
      merchantAccount: 'AcmeWeb',
      shopperReference: shopper,
      card,
      recurring: { contract: ['RECURRING'] },
    };
    const headers = { authorization, ...(key !== undefined && { 'idempotency-key': key }) };
    const call = protocol.encodeRequest(recurringV25, storeToken, input);
    const answer = await sendTo(fleet, at + round, call, headers);
    if (typeof answer === 'string') sent.result = answer;
    else if (answer.status === 200) sent.result = 'stored';
    else {
      const text = decodeURIComponent(answer.text.replaceAll('+', ' '));
      sent.result = text.includes('The outcome of this request is not known') ? 'unknown' : 'refused';
    }
  }

  let copied = 0;
  /** The thread that sends copies starts with the first one. A gateway that dies before has sent none. */
  const hasNewCopies = async (): Promise<boolean> => {
    const before = copied;
    copied = Object.keys((await second?.allEffects()) ?? {}).length;
    return copied > before;
  };

  /** Copies that wait for the thread end with a gateway that is killed. Without kills none is lost. */
  async function sendAfterKills(fleet: Fleet): Promise<number> {
    for (let at = 0; at < sentAfterKills; at += 1) {
      const shopper = `shopper-after-${at}.`;
      const sent: Sent = { shopper, key: `key-after-kills-${at}`, format: at % namedProtocols.length, result: 'down' };
      all.push(sent);
      await send(fleet, sent, 0, at);
    }
    const count = async () =>
      Object.keys((await second?.allEffects()) ?? {}).filter((effect) => effect.includes('shopper-after-')).length;
    await until('a copy of each request', async () => (await count()) >= sentAfterKills);
    return await count();
  }

  const track = {
    folder,
    variables: { ...variables, LOG_LEVEL: 'fatal' },
    servers: gateways,
    clients: 6,
    random,
    kills,
    ...(shadow === 'sandbox' && { isRipe: () => until('copies at the sandbox', hasNewCopies) }),
    /** Every fourth request has no key. */
    async step(fleet: Fleet, client: number) {
      const number = all.length;
      const key = number % 4 === 3 ? undefined : `key-of-the-request-${number}`;
      const sent: Sent = {
        shopper: `shopper-${number}.`,
        key,
        format: number % namedProtocols.length,
        result: 'down',
      };
      all.push(sent);
      await send(fleet, sent, 0, client);
    },
  };
  const isKeyed = ({ key }: Sent) => key !== undefined;
  const isFinal = ({ result }: Sent) => result === 'stored' || result === 'unknown';
  try {
    return await runUnderKills(track, async (fleet) => {
      const cutOff = all.filter(({ result }) => result === 'cut off').length;
      // What the second server had goes on there.
      await moveShare('back', 'json');
      await settleAll(
        () => all.filter((sent) => isKeyed(sent) && !isFinal(sent)),
        (sent, round, at) => send(fleet, sent, round, at),
      );
      const copies = shadow === 'sandbox' ? await sendAfterKills(fleet) : undefined;
      const [effects, secondEffects = {}] = await Promise.all([jsonServer.allEffects(), second?.allEffects()]);
      const secondEffectsOf = ({ shopper }: Sent) => secondEffects[`storeToken ${shopper}`] ?? 0;
      const effectsOf = (sent: Sent) =>
        (effects[`storeToken ${sent.shopper}`] ?? 0) + (shadow === 'answers' ? secondEffectsOf(sent) : 0);
      const stdout = isStateless ? '' : await listPending(folder, variables, asks === 'own credential');
      const isListed = ({ shopper }: Sent) => stdout.includes(shopper);
      const of = (matches: (sent: Sent) => boolean) => all.filter(matches).map(({ shopper }) => shopper);
      return {
        sent: all.length,
        cutOff,
        /** With a key, and the outcome is answered as unknown. */
        unknown: of((sent) => isKeyed(sent) && sent.result === 'unknown').length,
        doubled: of((sent) => effectsOf(sent) > 1),
        /** With a key, at the second server. */
        atSecond: of((sent) => isKeyed(sent) && secondEffectsOf(sent) > 0).length,
        doubledAtSecond: of((sent) => secondEffectsOf(sent) > 1),
        copies,
        /** Told as stored, and the upstream has not stored it. */
        lost: of((sent) => sent.result === 'stored' && effectsOf(sent) === 0),
        listed: stdout,
        /** With a key, and no retry gets a final answer. */
        unsettled: of((sent) => isKeyed(sent) && !isFinal(sent)),
        /** With a key, the outcome is answered as unknown, and `triglyph pending list` does not show it; or the other way round. */
        unlisted: of((sent) => (isKeyed(sent) && sent.result === 'unknown') !== isListed(sent)),
      };
    });
  } finally {
    await upstream.close();
    await secondUpstream?.close();
    await jsonServer.close();
    await second?.close();
    discard();
  }
}

/** Where the gateway asks by itself, it needs a while after the last of them. */
async function listPending(folder: string, variables: Variables, isEmptied: boolean) {
  const list = () => triglyph(['pending', 'list', '--all', '--json'], folder, variables);
  let listed = await list();
  const endsAt = performance.now() + 60_000;
  while (isEmptied && listed.stdout.trim() !== '[]' && performance.now() < endsAt) {
    await after(500);
    listed = await list();
  }
  if (listed.code !== 0) throw new Error(`triglyph pending list ended with ${listed.code}: ${listed.stderr}`);
  return listed.stdout;
}

/** The long run prints what docs/exactly-once.md has. */
function report({ sent, cutOff, doubled, lost }: Awaited<ReturnType<typeof storeTokensUnderKills>>): void {
  if (isLongRun)
    process.stderr.write(
      `${expect.getState().currentTestName}: ${JSON.stringify({ sent, cutOff, doubled: doubled.length, lost: lost.length })}\n`,
    );
}

async function provesExactlyOnce(plan: Plan): Promise<void> {
  const findings = await storeTokensUnderKills(plan);
  report(findings);
  expect(findings).toMatchObject({ doubled: [], lost: [], unsettled: [], unlisted: [] });
  expect(findings.sent).toBeGreaterThan(findings.unknown);
  expect(findings.cutOff).toBeGreaterThan(0);
}

const isFound = (plan: Plan, symptom: 'doubled' | 'lost'): Promise<boolean> =>
  isFoundWithin(async () => {
    const findings = await storeTokensUnderKills(plan);
    report(findings);
    return findings[symptom].length > 0;
  });
const findsDoubled = (plan: Plan): Promise<boolean> => isFound(plan, 'doubled');

/** The long run has both modes on each store. */
test.each(modes.filter((mode) => isLongRun || mode === 'none'))('one gateway on SQLite, idempotency %s', (mode) =>
  provesExactlyOnce({ mode, kills, gateways: 1 }),
);

describe('a second server next to the upstream', () => {
  test('it answers half of the requests, and none of those that it had is sent to the upstream', async () => {
    const findings = await storeTokensUnderKills({ mode: 'header', kills, gateways: 1, shadow: 'answers' });
    report(findings);
    expect(findings).toMatchObject({ doubled: [], lost: [], unsettled: [], unlisted: [] });
    expect(findings.cutOff).toBeGreaterThan(0);
    // A busy machine sends few, so their share says little.
    expect(findings.atSecond).toBeGreaterThan(0);
    expect(findings.atSecond).toBeLessThan(findings.sent);
  });
  test('it gets a copy of each request: the upstream has each effect once, and so has the sandbox', async () => {
    const findings = await storeTokensUnderKills({ mode: 'header', kills, gateways: 1, shadow: 'sandbox' });
    report(findings);
    expect(findings).toMatchObject({ doubled: [], doubledAtSecond: [], lost: [], unsettled: [], unlisted: [] });
    expect(findings.cutOff).toBeGreaterThan(0);
    expect(findings.atSecond).toBeGreaterThan(sentAfterKills);
    expect(findings.copies).toBe(sentAfterKills);
  });
  test('control: both get a key for each attempt', async () => {
    const plan: Plan = { mode: 'header', kills: 1, gateways: 1, shadow: 'answers', defect: 'a key for each attempt' };
    expect(await isFoundWithin(async () => (await storeTokensUnderKills(plan)).doubledAtSecond.length > 0)).toBe(true);
  });
});

describe('two gateways on PostgreSQL, killed in turn', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.discard());

  test.each(modes.filter((mode) => isLongRun || mode === 'header'))('idempotency %s', async (mode) => {
    await provesExactlyOnce({ mode, kills, gateways: 2, databaseUrl: await postgres.createDatabase() });
  });
});

describe('two gateways on Redis, killed in turn', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis({ persistent: true });
  });
  afterAll(() => redis.stop());

  test.each(modes.filter((mode) => isLongRun || mode === 'header'))('idempotency %s', async (mode) => {
    await redis.raw.flushall();
    await provesExactlyOnce({ mode, kills, gateways: 2, redisStoreUrl: redis.url });
  });
});

describe('two gateways that store nothing, killed in turn', () => {
  test('idempotency header', () => provesExactlyOnce({ mode: 'header', kills, gateways: 2, isStateless: true }));

  test('control: a key for each attempt is found doubled', async () => {
    const plan: Plan = {
      // A gateway that has just been started has sent little when it is killed.
      ...{ mode: 'header', kills: 3, gateways: 2, isStateless: true, defect: 'a key for each attempt' },
      // Most requests that are cut off are at the upstream.
      delayMsMax: 200,
    };
    expect(await findsDoubled(plan)).toBe(true);
  });
});

describe('the server does not deduplicate, and is asked for unknown outcomes: exactly once', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis({ persistent: true });
  });
  afterAll(() => redis.stop());

  const once = { doubled: [], lost: [], unsettled: [], unlisted: [], unknown: 0 };
  /** They wait for look-ups for most of their time. The long run prints the name of each, so it has one at a time. */
  const testBesideOthers = isLongRun ? test : test.concurrent;
  testBesideOthers('by the gateway itself, on SQLite', async () => {
    const findings = await storeTokensUnderKills({ mode: 'none', kills, gateways: 1, asks: 'own credential' });
    report(findings);
    expect(findings).toMatchObject(once);
    expect(findings.listed.trim()).toBe('[]');
    expect(findings.cutOff).toBeGreaterThan(0);
  });
  testBesideOthers('by retries of callers, on Redis', async () => {
    const plan: Plan = { mode: 'none', kills, gateways: 2, redisStoreUrl: redis.url, asks: 'forward' };
    const findings = await storeTokensUnderKills(plan);
    report(findings);
    expect(findings).toMatchObject(once);
    expect(findings.cutOff).toBeGreaterThan(0);
  });
  testBesideOthers.each([
    ['finds nothing: doubled', 'look-ups find nothing', 'doubled'],
    ['finds everything: lost', 'look-ups find everything', 'lost'],
  ] as const)('control: a look-up that %s', async (_, defect, symptom) => {
    const plan: Plan = { mode: 'none', kills: 1, gateways: 1, asks: 'own credential', defect };
    expect(await isFound(plan, symptom)).toBe(true);
  });
});

/** The short run finds the defect through gateways that store nothing. */
if (isLongRun)
  test('seeded defect: a key for each attempt is found doubled', async () => {
    const plan: Plan = { mode: 'header', kills: 1, gateways: 1, defect: 'a key for each attempt' };
    expect(await findsDoubled(plan)).toBe(true);
  });
