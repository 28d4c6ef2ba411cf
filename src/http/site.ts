/** A site: pages for people at paths of their own, beside the services, on a connection of the admin port or of callers. */
import type { WireRequest } from '../core/formats/index.ts';

export interface SiteAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Pieces are written as they come, until the reader leaves or the site closes. */
  readonly body: string | Uint8Array | AsyncIterable<string>;
}

export interface Site {
  /** `path`: without its query. */
  owns(path: string): boolean;
  /** `signal`: aborts when the reader has left. */
  answer(request: WireRequest, signal: AbortSignal): Promise<SiteAnswer>;
  /** Ends answers that are still being written. */
  close(): void;
}
