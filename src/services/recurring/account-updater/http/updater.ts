/** The updater behind a URL: asked in the time of a request, once more where that helps, and left alone while it is down. */
import { Problem } from '../../../../contract/problem.ts';
import { jsonReader } from '../../../../import/jsonl.ts';
import { reasonsOf } from '../../../../import/row.ts';
import { CircuitBreaker } from '../../../../lib/circuit-breaker.ts';
import type { Clock } from '../../../../lib/clock-and-ids.ts';
import { type Backoff, retry } from '../../../../lib/retry.ts';
import type { Vault } from '../../../../vault/ports.ts';
import type { UpdaterEvents } from '../events.ts';
import { parseUpdaterResponse } from '../parse-response.ts';
import type { AccountUpdateOutcome, CheckedCard, HttpUpdater } from '../updater.ts';
import { type UpdateAnswer, updateAnswer } from '../updater-response.ts';
import { type Exchanged, exchange } from './exchange.ts';

export interface HttpUpdaterOptions {
  readonly url: string;
  /** Sent as a bearer token. */
  readonly secret: string | undefined;
  /** For a question with its second try. */
  readonly msMax: number;
}

export interface HttpUpdaterParts {
  readonly clock: Clock;
  readonly vault: Vault;
  readonly watch: UpdaterEvents;
}

const pending: AccountUpdateOutcome = Object.freeze({ kind: 'pending' });

/** One closed connection or stopped node fails one attempt; the second one reaches another. */
const attemptsMax = 2;
const backoff: Backoff = { firstMs: 100, maxMs: 100 };
/** An attempt with less time left is of no use. */
const attemptMsMin = 100;
const circuit = { failuresMax: 5, openMs: 1_000 } as const;

const readAnswer = jsonReader<UpdateAnswer>(updateAnswer);

const print = ({ expiry: { expiryMonth, expiryYear } }: CheckedCard, number: string): string =>
  JSON.stringify({ number, expiryMonth, expiryYear });

export const httpUpdater = (
  { url, secret, msMax }: HttpUpdaterOptions,
  { clock, vault, watch }: HttpUpdaterParts,
): HttpUpdater => {
  const { failuresMax, openMs } = circuit;
  const breaker = new CircuitBreaker({ clock, failuresMax, openMs: () => openMs, probeMsMax: openMs });

  const report = (result: Exchanged): void => {
    const wasOpen = breaker.isOpen;
    if (result.kind === 'failed') breaker.fail();
    else breaker.succeed();
    if (result.kind !== 'answered') watch.emit(result);
    if (breaker.isOpen === wasOpen) return;
    watch.emit(result.kind === 'failed' ? { kind: 'down', reason: result.reason } : { kind: 'up' });
  };

  const told = (bytes: Parameters<typeof readAnswer>[0], card: CheckedCard, check: string): AccountUpdateOutcome => {
    const read = readAnswer(bytes);
    try {
      if ('reasons' in read) {
        watch.emit({ kind: 'malformed', check, reasons: read.reasons });
        return pending;
      }
      const fate = parseUpdaterResponse(read.row, card, vault);
      watch.emit({ kind: fate.kind === 'pending' ? 'pending' : 'told', checks: 1 });
      return fate;
    } catch (thrown) {
      if (!(thrown instanceof Problem)) throw thrown;
      watch.emit({ kind: 'malformed', check, reasons: reasonsOf(thrown) });
      return pending;
    }
  };

  return Object.freeze<HttpUpdater>({
    kind: 'asked',
    async ask(card, id) {
      const body = print(card, card.number());
      const attempt = async (remainingMs: number): Promise<Exchanged | undefined> => {
        if (!breaker.tryAcquire().isAllowed) {
          watch.emit({ kind: 'skipped' });
          return undefined;
        }
        const result = await exchange({ url, secret, id, body, msMax: Math.max(1, Math.ceil(remainingMs)) });
        report(result);
        return result;
      };
      const result = await retry(attempt, {
        shouldRetry: (last, attempts) => attempts < attemptsMax && 'value' in last && last.value?.kind === 'failed',
        backoff,
        timeoutMs: msMax,
        attemptMsMin,
      });
      return result?.kind === 'answered' ? told(result.bytes, card, id) : pending;
    },
  });
};
