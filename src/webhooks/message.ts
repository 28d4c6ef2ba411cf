/** What is sent of an event: the same bytes in every attempt. */
export interface Message {
  readonly body: string;
  /** Beside those of every delivery. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Who sends. */
export interface Origin {
  readonly environment: 'test' | 'live';
  /** 64 hexadecimal digits. */
  readonly key: string;
}
