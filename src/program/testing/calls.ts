/** The calls that a gateway has received, for the assertions of a test. */
import { maskSensitive } from '../../core/contract/index.ts';
import type { WireRequest } from '../../core/formats/index.ts';
import { type Answer, isOfGateway, type RequestObserver } from '../../core/gateway/index.ts';

/** A call that a gateway has received. */
export interface Call {
  /** As the service names it; absent where the request named none. */
  readonly operation: string | undefined;
  readonly service: string | undefined;
  readonly version: number | undefined;
  /** `soap11`, `soap12`, `json`, `form`, `adapter` or `rest`. */
  readonly format: string;
  /** The id of the credential; absent where no valid one was shown. */
  readonly credential: string | undefined;
  readonly tenant: string | undefined;
  /** The canonical input, with sensitive members masked; absent where it was invalid. */
  readonly input: unknown;
  /** `ok`, or the name of the problem. */
  readonly outcome: string;
  /** The HTTP status of the answer. */
  readonly status: number;
  /** The answer was that of an earlier request with its Idempotency-Key. */
  readonly replayed: boolean;
  /** Milliseconds since the epoch, by the clock of the gateway. */
  readonly at: number;
}

/** A gateway that runs for long keeps the newest only. */
const callsMax = 10_000;

export class CallLog implements RequestObserver {
  readonly #now: () => number;
  #calls: Call[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Oldest first. */
  get calls(): readonly Call[] {
    return this.#calls;
  }

  readonly answered = (_request: WireRequest, { entry, message, decoded }: Answer): void => {
    if (!isOfGateway(entry)) return;
    const isValid = decoded !== undefined && decoded.issues.length === 0;
    this.#calls.push({
      operation: entry.operation,
      service: entry.service,
      version: entry.version,
      format: entry.protocol,
      credential: entry.credential,
      tenant: entry.tenant,
      input: isValid ? maskSensitive(decoded.operation.input, decoded.input) : undefined,
      outcome: entry.outcome,
      status: message.status,
      replayed: entry.replayed ?? false,
      at: this.#now(),
    });
    if (this.#calls.length > callsMax) this.#calls.splice(0, callsMax / 2);
  };

  clear(): void {
    this.#calls = [];
  }
}
