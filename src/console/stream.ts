/** A stream of server-sent events, which a view reads while it is open. */
import type { Caller } from '../core/contract/index.ts';

export interface StreamRequest {
  readonly caller: Caller;
  readonly query: URLSearchParams;
  /** Where a browser goes on that was disconnected. */
  readonly lastEventId: string | undefined;
  /** Aborts when the reader leaves, or the server stops. The pieces must end then. */
  readonly signal: AbortSignal;
  /** Whether the session still is valid. To be asked now and then: the stream ends where it is not. */
  isValid(): Promise<boolean>;
}

export interface ConsoleStream {
  /** Below `/console/`: `api/v1/traffic/events`. */
  readonly path: string;
  /** Returns events in the text form of `text/event-stream`. */
  open(request: StreamRequest): AsyncIterable<string>;
}
