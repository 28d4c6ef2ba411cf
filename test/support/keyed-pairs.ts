/** Keyed load on two servers: each key is sent to both at once, and all keys are repeated later. Counts what was done twice. */
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Call } from '../../src/core/formats/protocol.ts';
import { type Caller, callIn, card, formats, openCaller, type ReceivedResponse } from './traffic.ts';

export interface PairsOptions {
  /** `http://127.0.0.1:8080` */
  readonly origins: readonly [string, string];
  readonly authorization: string;
  readonly merchantAccount: string;
  readonly callers: number;
}

export interface Pairs {
  /** How many keys were answered by both servers. */
  answered(): number;
  /** Milliseconds of each answer since the start. */
  readonly times: readonly number[];
  /** Answers that are neither right nor ask for a retry. */
  readonly failures: readonly string[];
  shoppers(): number;
  stop(): Promise<void>;
  /** Sends each key again, after `stop`. Returns how many got another effect than the first time. */
  repeat(): Promise<number>;
}

interface Stored {
  readonly call: Call;
  readonly key: string;
  readonly reference: string | undefined;
}

const retryMs = 30;
/** Of a caller between two keys: most of the test waits for failovers, and a greater load finds no more in them. */
const restMs = 300;

export function startPairs({ origins, authorization, merchantAccount, callers }: PairsOptions): Pairs {
  const failures: string[] = [];
  const times: number[] = [];
  const stored: Stored[] = [];
  let shoppers = 0;
  let isStopped = false;

  /** Until the answer asks for no retry. */
  async function ask(caller: Caller, call: Call, key: string): Promise<ReceivedResponse> {
    for (;;) {
      const startedAt = performance.now();
      const received = await caller.ask(call, key);
      times.push(performance.now() - startedAt);
      if (received.status === 200) return received;
      if (!isInProgress(received)) {
        failures.push(`${received.status} ${received.body}`);
        return received;
      }
      await setTimeout(retryMs);
    }
  }

  async function run(number: number): Promise<void> {
    const [one, other] = origins.map((origin) => openCaller(origin, authorization, 1)) as [Caller, Caller];
    for (let turn = number; !isStopped; turn += 1) {
      const format = formats[turn % formats.length]!;
      const shopper = { merchantAccount, shopperReference: `shopper-${randomUUID()}` };
      const call = callIn(format, 'storeToken', { ...shopper, card, recurring: { contract: ['RECURRING'] } });
      const key = randomUUID();
      shoppers += 1;
      const answers = await Promise.all([one, other].map((caller) => ask(caller, call, key)));
      const references = new Set(answers.map(({ headers }) => headers.pspreference));
      if (references.size > 1) failures.push('one key has two references');
      // The same card is stored once while it is not disabled: a second effect would not be seen.
      await ask(turn % 2 === 0 ? one : other, callIn(format, 'disable', shopper), randomUUID());
      stored.push({ call, key, reference: answers[0]!.headers.pspreference });
      await setTimeout(restMs);
    }
    for (const caller of [one, other]) caller.close();
  }

  const all = Promise.all(Array.from({ length: callers }, (_, number) => run(number)));
  return {
    answered: () => stored.length,
    times,
    failures,
    shoppers: () => shoppers,
    async stop() {
      isStopped = true;
      await all;
    },
    async repeat() {
      const caller = openCaller(origins[0], authorization, 4);
      let doubled = 0;
      for (const { call, key, reference } of stored) {
        const { headers } = await ask(caller, call, key);
        if (headers.pspreference !== reference || headers['idempotent-replayed'] !== 'true') doubled += 1;
      }
      caller.close();
      return doubled;
    },
  };
}

/** By its code: formats say it with different statuses. */
function isInProgress({ headers, body }: ReceivedResponse): boolean {
  return headers['transient-error'] === 'true' && body.includes('704');
}
