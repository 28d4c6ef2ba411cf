/** Keyed load on gateways without a database, in front of a server that counts effects. */
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { UpstreamOptions } from '../../../src/backend/upstreams/options.ts';
import { createProtocols, namedProtocols } from '../../../src/core/formats/wire-formats.ts';
import { freshKeys } from '../../../src/core/vault/key-ring.ts';
import { builtInServices, services } from '../../../src/payments/index.ts';
import { recurringV25 } from '../../../src/payments/recurring/versions.ts';
import { type StartedGateway, startGateway } from '../../../src/program/app/create-gateway.ts';
import type { Random } from '../../simulation/random.ts';
import { listenLocally } from '../../support/listen-locally.ts';
import { storedTokenLookup } from '../../support/stored-token-lookup.ts';

/** `asked`: the server does not deduplicate, and can be asked for unknown outcomes. */
export type Mode = 'header' | 'none' | 'asked';

/** Has the effect of each request, and knows its own keys where it deduplicates. */
export interface CountingServer {
  readonly url: string;
  /** By shopper. */
  readonly effects: ReadonlyMap<string, number>;
  close(): void;
}

const storedToken = JSON.stringify({
  pspReference: '8815252013129012',
  recurringDetailReference: '8313147988756818',
  result: 'Success',
});

const storedDetail = {
  recurringDetailReference: '8313147988756818',
  firstPspReference: '8815252013129012',
  creationDate: '2026-11-21T12:29:36+01:00',
  contractTypes: ['RECURRING'],
  variant: 'visa',
};

export interface CountingOptions {
  /** After the effect. */
  readonly losesAnswers?: boolean;
  /** Look-ups find nothing. */
  readonly liesAboutEffects?: boolean | undefined;
}

export async function startCountingServer(
  random: Random,
  { losesAnswers = false, liesAboutEffects = false }: CountingOptions = {},
): Promise<CountingServer> {
  const effects = new Map<string, number>();
  const known = new Set<string>();
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += part;
    const { shopperReference } = JSON.parse(body) as { readonly shopperReference: string };
    if (request.url?.endsWith('/listRecurringDetails')) {
      const details =
        effects.has(shopperReference) && !liesAboutEffects ? [{ RecurringDetail: storedDetail }] : undefined;
      return response
        .writeHead(200, { 'Content-Type': 'application/json' })
        .end(JSON.stringify({ shopperReference, details }));
    }
    await wait(random.below(30));
    const key = request.headers['idempotency-key'] as string | undefined;
    if (key === undefined || !known.has(key)) effects.set(shopperReference, (effects.get(shopperReference) ?? 0) + 1);
    if (key !== undefined) known.add(key);
    // Its answer is lost.
    if (losesAnswers && random.chance(0.15)) return request.socket.destroy();
    await wait(random.below(60));
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(storedToken);
  });
  return {
    url: `http://127.0.0.1:${await listenLocally(server)}`,
    effects,
    close: () => void server.close(() => {}).closeAllConnections(),
  };
}

export interface LoadOptions {
  readonly mode: Mode;
  /** One gateway each. */
  readonly redisUrls: readonly string[];
  readonly settings?: Readonly<Record<string, string>>;
  readonly random: Random;
  readonly orders: number;
  /** Without keys, as a control. */
  readonly hasKeys?: boolean;
  readonly liesAboutEffects?: boolean;
  /** How often a client tries; 120 times by default. */
  readonly triesMax?: number;
  /** Called when a third of the orders are sent. The load goes on meanwhile. */
  readonly disturb: (gateways: readonly StartedGateway[]) => Promise<void>;
}

type Result = 'stored' | 'unknown' | 'retry';

export interface Findings {
  readonly doubled: number;
  /** Answered as stored, and the server has not stored them. */
  readonly lost: number;
  /** No final answer at the end. */
  readonly open: number;
  /** Answered as unknown, and not listed. */
  readonly unlisted: number;
  readonly unknown: number;
  /** Answers that asked for another try. */
  readonly disturbed: number;
}

const protocols = createProtocols(services);
const storeToken = recurringV25.operations.get('storeToken')!;
const card = { number: '4111111111111111', expiryMonth: '8', expiryYear: '2031', holderName: 'Anna van Dijk' };
/** Short: a request that is lost is in flight for so long, and five seconds more. */
const timeouts = { connectMs: 300, headersMs: 300, bodyMs: 300, totalMs: 600 };
const clients = 12;
const pauseMs = 150;

/** Sends each order until its answer is final, in any format to any gateway, and once more when nothing is broken. */
export async function runLoad(options: LoadOptions): Promise<Findings> {
  const { mode, redisUrls, settings, random, hasKeys = true, triesMax = 120 } = options;
  const server = await startCountingServer(random, {
    losesAnswers: mode === 'asked',
    liesAboutEffects: options.liesAboutEffects,
  });
  const upstream: UpstreamOptions = {
    ...{ url: server.url, credentials: 'forward', timeouts },
    ...(mode === 'asked' ? { lookups: storedTokenLookup(1_000) } : { idempotency: mode }),
  };
  const keys = freshKeys();
  const started: StartedGateway[] = [];
  let disturbed = 0;

  const send = async (shopper: string): Promise<Result> => {
    const protocol = protocols[random.pick(namedProtocols)];
    const input = { merchantAccount: 'Shop', shopperReference: shopper, card, recurring: { contract: ['RECURRING'] } };
    const { path, contentType, body, headers } = protocol.encodeRequest(recurringV25, storeToken, input);
    const key = hasKeys ? { 'idempotency-key': `key of ${shopper}`.replaceAll(' ', '-') } : {};
    const all = { 'content-type': contentType, ...headers, 'x-api-key': 'of the caller', ...key };
    const request = new Request(`http://gateway.test${path}`, { method: 'POST', headers: all, body });
    const response = await random.pick(started).gateway.fetch(request);
    const text = decodeURIComponent((await response.text()).replaceAll('+', ' '));
    if (response.status === 200) return 'stored';
    if (text.includes('The outcome of this request is not known')) return 'unknown';
    disturbed += 1;
    return 'retry';
  };
  /** As a client that gives up waiting, and tries again. */
  const untilFinal = async (shopper: string): Promise<Result> => {
    for (let tries = 0; tries < triesMax; tries += 1) {
      const answers = await Promise.all([send(shopper), ...(random.chance(0.3) ? [send(shopper)] : [])]);
      const final = answers.find((each) => each !== 'retry');
      if (final !== undefined) return final;
      await wait(pauseMs);
    }
    return 'retry';
  };

  try {
    for (const url of redisUrls)
      started.push(
        await startGateway({
          services: builtInServices,
          keys,
          upstreams: { counting: upstream },
          answeredBy: { Recurring: 'counting', BalancePlatform: 'counting' },
          settings: { REDIS_STORE_URL: url, LOG_LEVEL: 'silent', ...settings },
        }),
      );
    const shoppers = Array.from({ length: options.orders }, (_, at) => `shopper-${at}.`);
    const results = new Map<string, Result>();
    const sendAll = async (work: (shopper: string, queue: readonly string[]) => Promise<void>): Promise<void> => {
      const queue = [...shoppers];
      const client = async (): Promise<void> => {
        for (let shopper = queue.shift(); shopper !== undefined; shopper = queue.shift()) await work(shopper, queue);
      };
      await Promise.all(Array.from({ length: clients }, client));
    };
    let disturbance: Promise<void> | undefined;
    await sendAll(async (shopper, queue) => {
      if (queue.length < (shoppers.length * 2) / 3) disturbance ??= options.disturb(started);
      results.set(shopper, await untilFinal(shopper));
    });
    await disturbance;
    // Late duplicates, when nothing is broken any more.
    await sendAll(async (shopper) => {
      const late = await untilFinal(shopper);
      if (results.get(shopper) !== 'stored') results.set(shopper, late);
    });
    const of = (matches: (shopper: string) => boolean): number => shoppers.filter(matches).length;
    const effectsOf = (shopper: string) => server.effects.get(shopper) ?? 0;
    const isUnknown = (shopper: string) => results.get(shopper) === 'unknown';
    const listed = JSON.stringify(await started[0]!.backend.unsettled.list(options.orders));
    return {
      doubled: of((shopper) => effectsOf(shopper) > 1),
      lost: of((shopper) => results.get(shopper) === 'stored' && effectsOf(shopper) === 0),
      open: of((shopper) => results.get(shopper) === 'retry'),
      unlisted: of((shopper) => isUnknown(shopper) && !listed.includes(shopper)),
      unknown: of(isUnknown),
      disturbed,
    };
  } finally {
    await Promise.all(started.map(({ gateway }) => gateway.close()));
    server.close();
  }
}
