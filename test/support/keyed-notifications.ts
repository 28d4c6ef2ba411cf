/** Keyed load whose effects can be counted: each executed notifyShopper adds a row, whose content names the key. */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

export interface NotifyAnswer {
  readonly status: number;
  readonly pspReference: string | undefined;
  readonly isReplayed: boolean;
}

export interface Notified {
  readonly key: string;
  /** When the answer arrived, in milliseconds since the epoch. */
  readonly answeredAt: number;
  readonly answer: NotifyAnswer;
}

export interface Target {
  /** `http://127.0.0.1:40123` */
  readonly callers: string;
  readonly authorization: string;
  readonly recurringDetailReference: string;
}

export const shopper = { merchantAccount: 'AcmeWeb', shopperReference: 'row-1' } as const;

/** The row of an import that `notify` needs. */
export const detailRow = {
  ...shopper,
  contracts: 'RECURRING',
  recurringDetailReference: 'DETAIL0000000001',
  card: { number: '4111111111111111', expiryMonth: '03', expiryYear: '2030', holderName: 'Anna van Dijk' },
} as const;

/** Sends the request until its answer is final. */
export async function notify(target: Target, key: string): Promise<NotifyAnswer> {
  const { callers, authorization, recurringDetailReference } = target;
  for (;;) {
    const response = await fetch(`${callers}/pal/servlet/Recurring/v68/notifyShopper`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: authorization, 'Idempotency-Key': key },
      body: JSON.stringify({
        ...shopper,
        recurringDetailReference,
        reference: key,
        amount: { currency: 'EUR', value: 1000 },
      }),
    });
    await response.arrayBuffer();
    const { status, headers } = response;
    if (headers.get('transient-error') !== 'true')
      return {
        status,
        pspReference: headers.get('pspreference') ?? undefined,
        isReplayed: headers.get('idempotent-replayed') === 'true',
      };
    await wait(20);
  }
}

export interface KeyedLoad {
  readonly notified: readonly Notified[];
  /** Resolves when the requests under way are answered. */
  stop(): Promise<void>;
}

/** A few callers at once, each with a new key for each request. */
export function startKeyedLoad(target: Target, callers = 4): KeyedLoad {
  const notified: Notified[] = [];
  let stopped = false;
  const call = async (): Promise<void> => {
    while (!stopped) {
      const key = randomUUID();
      const answer = await notify(target, key);
      notified.push({ key, answer, answeredAt: Date.now() });
    }
  };
  const running = Array.from({ length: callers }, call);
  return {
    notified,
    async stop() {
      stopped = true;
      await Promise.all(running);
    },
  };
}

/** How often each key was executed; `contents`: the column of this name of the table shopper_notification. */
export function countEffects(contents: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const content of contents) {
    const key = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(content)?.[0] ?? content;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
