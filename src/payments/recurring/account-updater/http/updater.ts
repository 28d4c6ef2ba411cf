/** The HTTP updater: called in the time of a request, with one retry, and skipped while its circuit is open. */
import type { Buffer } from 'node:buffer';
import { jsonReader, reasonsOf } from '../../../../backend/index.ts';
import { Problem } from '../../../../core/contract/index.ts';
import {
  type Backoff,
  type CallTracer,
  CircuitBreaker,
  type Clock,
  createCallTracer,
  retry,
} from '../../../../core/lib/index.ts';
import type { Vault } from '../../../../core/vault/index.ts';
import type { UpdaterEvents } from '../events.ts';
import { parseUpdaterResponse, type UpdaterResponse, updaterResponse } from '../parse-response.ts';
import type { AccountUpdateOutcome, CheckedCard, HttpUpdater } from '../updater.ts';
import { type ExchangeResult, exchange } from './exchange.ts';

interface HttpUpdaterOptions {
  readonly url: string;
  /** Sent as a bearer token. */
  readonly secret: string | undefined;
  /** For a check with its retry. */
  readonly msMax: number;
}

export interface HttpUpdaterDependencies {
  readonly clock: Clock;
  readonly vault: Vault;
  readonly events: UpdaterEvents;
  /** Absent where calls are not traced. */
  readonly calls?: CallTracer | undefined;
}

/** A closed connection or a stopped node fails one attempt; the second one reaches another. */
const attemptsMax = 2;
const backoff: Backoff = { firstMs: 100, maxMs: 100 };
/** An attempt with less time left is of no use. */
const attemptMsMin = 100;
const circuit = { failuresMax: 5, openMs: 1_000 } as const;

const pending: AccountUpdateOutcome = Object.freeze({ kind: 'pending' });

const readJson = jsonReader<UpdaterResponse>(updaterResponse);

export function createHttpUpdater(
  { url, secret, msMax }: HttpUpdaterOptions,
  dependencies: HttpUpdaterDependencies,
): HttpUpdater {
  const { clock, events, calls = createCallTracer() } = dependencies;
  const { failuresMax, openMs } = circuit;
  const breaker = new CircuitBreaker({ clock, failuresMax, openMs: () => openMs, probeMsMax: openMs });

  function report(result: ExchangeResult): void {
    const wasOpen = breaker.isOpen;
    if (result.kind === 'failed') breaker.fail();
    else breaker.succeed();
    if (result.kind !== 'answered') events.emit(result);
    if (breaker.isOpen === wasOpen) return;
    events.emit(result.kind === 'failed' ? { kind: 'down', reason: result.reason } : { kind: 'up' });
  }

  return Object.freeze<HttpUpdater>({
    kind: 'http',
    async check(card, id, isJob = false) {
      const body = requestBody(card, card.number());
      const attempt = async (remainingMs: number): Promise<ExchangeResult | undefined> => {
        if (!breaker.tryAcquire().isAllowed) {
          events.emit({ kind: 'skipped' });
          return undefined;
        }
        const msLeft = Math.max(1, Math.ceil(remainingMs));
        const result = await calls.run({ name: 'account updater', isJob, expected: 'answered' }, (traceparent) =>
          exchange({ url, secret, id, body, msMax: msLeft, traceparent }),
        );
        report(result);
        return result;
      };
      const result = await retry(attempt, {
        shouldRetry: (last, attempts) => attempts < attemptsMax && 'value' in last && last.value?.kind === 'failed',
        backoff,
        timeoutMs: msMax,
        attemptMsMin,
      });
      return result?.kind === 'answered' ? parseBody(result.bytes, card, id, dependencies) : pending;
    },
  });
}

function requestBody({ expiry: { expiryMonth, expiryYear } }: CheckedCard, number: string): string {
  return JSON.stringify({ number, expiryMonth, expiryYear });
}

/** A malformed response leaves the check pending. */
function parseBody(
  bytes: Buffer,
  card: CheckedCard,
  check: string,
  { vault, events }: HttpUpdaterDependencies,
): AccountUpdateOutcome {
  const response = readJson(bytes);
  try {
    if ('reasons' in response) {
      events.emit({ kind: 'malformed', check, reasons: response.reasons });
      return pending;
    }
    const outcome = parseUpdaterResponse(response.row, card, vault);
    events.emit({ kind: outcome.kind === 'pending' ? 'pending' : 'answered', checks: 1 });
    return outcome;
  } catch (thrown) {
    if (!(thrown instanceof Problem)) throw thrown;
    events.emit({ kind: 'malformed', check, reasons: reasonsOf(thrown) });
    return pending;
  }
}
