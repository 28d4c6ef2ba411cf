/** A webhook message: the same bytes in every attempt to deliver it. */
export interface Message {
  readonly body: string;
  /** In addition to those of every delivery. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The sender of a message. */
export interface Origin {
  readonly environment: 'test' | 'live';
  /** Signs the message; 64 hexadecimal digits. */
  readonly key: string;
}
