/** What a primary process and its workers say to each other. */

/** The primary asks whether requests would be answered. */
export interface ReadyQuery {
  readonly triglyph: 'ready?';
  readonly id: number;
}

export type WorkerMessage =
  | { readonly triglyph: 'ready'; readonly id: number; readonly ready: boolean }
  /** A worker has its port. */
  | { readonly triglyph: 'serving'; readonly callers: string };

const isOurs = (message: unknown): message is { readonly triglyph: unknown } =>
  typeof message === 'object' && message !== null && 'triglyph' in message;

/** Other messages on the same channel are the metrics library's. */
export const isReadyQuery = (message: unknown): message is ReadyQuery =>
  isOurs(message) && message.triglyph === 'ready?';

export const isWorkerMessage = (message: unknown): message is WorkerMessage =>
  isOurs(message) && (message.triglyph === 'ready' || message.triglyph === 'serving');
