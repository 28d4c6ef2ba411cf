/** Messages between the primary process and its workers. The metrics library uses the same channel. */

/** From the primary: asks whether the worker is ready for requests. */
export interface ReadyQuery {
  readonly triglyph: 'ready?';
  readonly id: number;
}

export type WorkerMessage =
  | { readonly triglyph: 'ready'; readonly id: number; readonly ready: boolean }
  /** The worker listens on its port. */
  | { readonly triglyph: 'serving'; readonly callers: string };

export function isReadyQuery(message: unknown): message is ReadyQuery {
  return isOurs(message) && message.triglyph === 'ready?';
}

export function isWorkerMessage(message: unknown): message is WorkerMessage {
  return isOurs(message) && (message.triglyph === 'ready' || message.triglyph === 'serving');
}

function isOurs(message: unknown): message is { readonly triglyph: unknown } {
  return typeof message === 'object' && message !== null && 'triglyph' in message;
}
