/** A webhook message and its sender. */
import type { SigningKeys } from './signing-keys.ts';

/** A message is the same in every attempt, until a rotation of keys begins or ends. Each attempt adds headers with its time. */
export interface Message {
  readonly body: string;
  /** Headers in addition to those of every delivery. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The sender of a message. */
export interface Origin extends SigningKeys {
  readonly environment: 'test' | 'live';
}
