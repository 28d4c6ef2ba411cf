/** What comes in and goes out over HTTP, with nothing of any framework in it. */
import type { Buffer } from 'node:buffer';

export interface WireRequest {
  readonly method: string;
  /** Path without query; as sent, not decoded. */
  readonly path: string;
  /** Without its question mark; empty where there is none. */
  readonly query: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /**
   * Throws a Problem for a head that must not be served: no or two hosts, a header twice where once is the rule, an
   * encoded body, a request from another site's page. To be called first, so that the refusal has the caller's format.
   */
  inspect(): void;
  /** Reads the body once, bounded; rejects with a Problem (tooLarge, timeout, badRequest). */
  body(): Promise<Buffer>;
}

/** A whole answer; Content-Length and the headers of every answer are the shell's. */
export interface Message {
  readonly status: number;
  /** Media type with charset. */
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The answer to what was done. */
export const answered = (contentType: string, body: string): Message => ({
  status: 200,
  contentType,
  headers: {},
  body,
});
