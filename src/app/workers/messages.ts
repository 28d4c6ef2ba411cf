/** What a primary process and its workers say to each other. */

/** The primary asks whether requests would be answered. */
export interface Ask {
  readonly triglyph: 'ready?';
  readonly id: number;
}

export type Said =
  | { readonly triglyph: 'ready'; readonly id: number; readonly ready: boolean }
  /** A worker has its port. */
  | { readonly triglyph: 'serving'; readonly callers: string };

const isOurs = (message: unknown): message is { readonly triglyph: unknown } =>
  typeof message === 'object' && message !== null && 'triglyph' in message;

/** Other messages on the same channel are the metrics library's. */
export const isAsk = (message: unknown): message is Ask => isOurs(message) && message.triglyph === 'ready?';

export const isSaid = (message: unknown): message is Said =>
  isOurs(message) && (message.triglyph === 'ready' || message.triglyph === 'serving');
