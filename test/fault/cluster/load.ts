/** Callers who write through two servers while a cluster fails, and what became of each of their writes. */
import { randomUUID } from 'node:crypto';
import { setTimeout as after } from 'node:timers/promises';
import type { Call } from '../../../src/core/formats/protocol.ts';
import type { NamedProtocol } from '../../../src/core/formats/wire-formats.ts';
import type { Cluster } from '../../support/patroni.ts';
import { callIn, card, formats, openCaller, type ReceivedResponse } from '../../support/traffic.ts';
import { until } from '../../support/until.ts';
import type { Fault } from './faults.ts';
import type { Authorizations } from './gateways.ts';

export interface LoadOptions {
  readonly cluster: Cluster;
  readonly origins: readonly string[];
  readonly authorizations: Authorizations;
  readonly fault: Fault;
  /** By default a retry has the key of its request. */
  readonly withKeys?: boolean;
}

export interface Observed {
  /** Writes with a final answer. */
  readonly answered: number;
  /** Of these, without an effect in the end. */
  readonly lost: number;
  /** With more than one effect. */
  readonly doubled: number;
  /** Whose retry after everything has another answer. */
  readonly changed: number;
  /** The longest time without an answered write. */
  readonly gapMs: number;
  /** The longest time without a write on a connection that knows no gateway: that of the cluster itself. */
  readonly clusterGapMs: number;
  /** The longest time that one caller was without an answered write. */
  readonly callerGapMs: number;
  /** The longest wait for an answer, final or not. */
  readonly slowestMs: number;
}

const callers = 8;
/** A caller gives up waiting. */
export const answerMsMax = 20_000;
const pauseMs = 50;
/** Of a caller between two writes: the load leaves time for the cluster. */
const restMs = 80;
/** Answers of each caller before the fault, and after it. */
const enough = 5;
const settledMsMax = 180_000;

/** Half of the callers store cards, in changing formats. The others create account holders, of which each try makes another. */
type Kind = 'card' | 'holder';

interface Answer {
  readonly key: string;
  readonly kind: Kind;
  readonly reference: string | undefined;
  readonly begunAt: number;
  readonly endedAt: number;
}

/** Begins when all members are up, and ends when writes are answered again and the machine comes back. */
export async function observeFault(options: LoadOptions): Promise<Observed> {
  const { cluster, fault } = options;
  await cluster.healed();
  const load = startLoad(options);
  const probe = startProbe(cluster);
  try {
    await load.answeredSince(0);
    const heal = await fault.prepare(cluster);
    const struckAt = performance.now();
    await heal.strike();
    await load.answeredSince(performance.now());
    await heal.isOver();
    await load.answeredSince(performance.now());
    const answers = await load.stop();
    heal.repair();
    const gaps = { ...gapsOf(answers, struckAt), clusterGapMs: longestGap(await probe.stop(), struckAt) };
    return { ...(await judge(options, answers.flat())), ...gaps, slowestMs: load.slowestMs() };
  } finally {
    await probe.stop();
    await load.stop();
  }
}

function startLoad(options: LoadOptions) {
  const answers: Answer[][] = Array.from({ length: callers }, () => []);
  let isOver = false;
  let slowestMs = 0;
  const attempt = async (kind: Kind, key: string, turn: number): Promise<ReceivedResponse | undefined> => {
    const begunAt = performance.now();
    const response = await send(options, kind, key, turn);
    slowestMs = Math.max(slowestMs, performance.now() - begunAt);
    return response;
  };
  const store = async (at: number): Promise<void> => {
    const key = randomUUID();
    const kind = at % 2 === 0 ? 'card' : 'holder';
    const begunAt = performance.now();
    for (let turn = at; ; turn += 1) {
      const response = await attempt(kind, key, turn);
      if (response === undefined) {
        await after(pauseMs);
        continue;
      }
      if (response.status !== 200) throw new Error(`${response.status} ${response.body}`);
      answers[at]!.push({ key, kind, reference: referenceOf(kind, response), begunAt, endedAt: performance.now() });
      return;
    }
  };
  const running = Promise.all(
    answers.map(async (_, at) => {
      while (!isOver) {
        await store(at);
        await after(restMs);
      }
    }),
  );
  running.catch(() => {});
  return {
    slowestMs: () => slowestMs,
    /** Resolves when each caller has so many answers to requests that began later. */
    async answeredSince(since: number): Promise<void> {
      const all = until(
        'answers to each caller',
        () => answers.every((own) => own.filter(({ begunAt }) => begunAt >= since).length >= enough),
        settledMsMax,
      );
      await Promise.race([all, running]);
    },
    async stop(): Promise<readonly (readonly Answer[])[]> {
      isOver = true;
      await running;
      return answers;
    },
  };
}

function startProbe(cluster: Cluster) {
  const answers: Pick<Answer, 'endedAt'>[] = [];
  let isOver = false;
  const probe = async () => {
    while (!isOver) {
      const isWritten = await cluster.probe().then(
        () => true,
        () => false,
      );
      if (isWritten) answers.push({ endedAt: performance.now() });
      await after(pauseMs);
    }
  };
  const running = probe();
  return {
    async stop() {
      isOver = true;
      await running;
      return answers;
    },
  };
}

/** Undefined: the answer is not final, or there was none. */
async function send(
  { origins, authorizations, withKeys = true }: LoadOptions,
  kind: Kind,
  key: string,
  turn: number,
): Promise<ReceivedResponse | undefined> {
  const authorization = kind === 'card' ? authorizations.merchant : authorizations.platform;
  const call = kind === 'card' ? storeCard(key, formats[turn % formats.length]!) : createHolder(key);
  const caller = openCaller(origins[turn % origins.length]!, authorization, 1);
  const timer = setTimeout(() => caller.close(), answerMsMax);
  const response = await caller.ask(call, withKeys ? key : undefined).catch(() => undefined);
  clearTimeout(timer);
  caller.close();
  const isFinal = response?.status === 200 || response?.headers['transient-error'] === 'false';
  return isFinal ? response : undefined;
}

/** A shopper of the key's own. */
function storeCard(key: string, format: NamedProtocol): Call {
  const recurring = { contract: ['RECURRING'] };
  return callIn(format, 'storeToken', { merchantAccount: 'AcmeWeb', shopperReference: key, card, recurring });
}

function createHolder(reference: string): Call {
  const body = JSON.stringify({ legalEntityId: 'LE1', reference });
  return { path: '/bcl/v2/accountHolders', contentType: 'application/json', body };
}

function referenceOf(kind: Kind, { headers, body }: ReceivedResponse): string | undefined {
  return kind === 'card' ? headers.pspreference : JSON.parse(body).id;
}

const countEffects = `
  select shopper_reference as key, count(*)::int as n from stored_detail group by 1
  union all select record::json ->> 'reference', count(*)::int from account_holder group by 1`;

/** Each key has a shopper or an account holder of its own. */
async function judge(options: LoadOptions, answers: readonly Answer[]) {
  const rows = await options.cluster.ask(countEffects, 'triglyph');
  const effects = new Map(rows.map(({ key, n }) => [String(key), Number(n)]));
  const counts = answers.map(({ key }) => effects.get(key) ?? 0);
  let changed = 0;
  if (options.withKeys !== false)
    for (const { key, kind, reference } of answers) {
      let response: ReceivedResponse | undefined;
      for (let turn = 0; response === undefined; turn += 1) response = await send(options, kind, key, turn);
      if (referenceOf(kind, response) !== reference) changed += 1;
    }
  return {
    answered: answers.length,
    lost: counts.filter((count) => count === 0).length,
    doubled: counts.filter((count) => count > 1).length,
    changed,
  };
}

function gapsOf(answers: readonly (readonly Answer[])[], since: number) {
  return {
    gapMs: longestGap(answers.flat(), since),
    callerGapMs: Math.max(...answers.map((own) => longestGap(own, since))),
  };
}

function longestGap(answers: readonly Pick<Answer, 'endedAt'>[], since: number): number {
  const ends = answers.map(({ endedAt }) => endedAt).filter((endedAt) => endedAt > since);
  ends.sort((one, other) => one - other);
  return Math.max(0, ...ends.map((endedAt, at) => endedAt - (ends[at - 1] ?? since)));
}
