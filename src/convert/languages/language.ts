/** A programming language in which a call can be printed, and the call as languages print it. */
import type { SourceBody } from '../../core/formats/index.ts';

export type { SourceBody };

/** How the caller authenticates. The source reads the credential from its environment. */
export type SourceCredential = 'apiKey' | 'basic' | 'none';

/** The variables of the environment that hold the credential. */
export const credentialVariables = Object.freeze({ apiKey: 'API_KEY', user: 'API_USER', password: 'API_PASSWORD' });

export interface SourceCall {
  readonly method: string;
  readonly url: string;
  /** Content-Type, and the headers of the operation. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: SourceBody | undefined;
  readonly credential: SourceCredential;
  /** Whether the source generates an Idempotency-Key. */
  readonly hasKey: boolean;
}

export interface Language {
  /** In headings: `PHP`. */
  readonly title: string;
  /** The name of the file that the source belongs into. */
  readonly file: string;
  /** Returns a whole program, which prints the status and the body of the answer. */
  readonly print: (call: SourceCall) => string;
}

/** The line that presents the credential: none where the call has none. */
export function credentialLines(credential: SourceCredential, ...lines: readonly [apiKey: string, basic: string]) {
  return credential === 'none' ? [] : [lines[credential === 'apiKey' ? 0 : 1]];
}

/** Stands above the key in every language. */
export const keyComment = 'Retries send the same key.';

/** The text of a body, for languages without a library for its format. JSON has one member in a line. */
export function textOf(body: SourceBody): string {
  switch (body.kind) {
    case 'json':
      return JSON.stringify(body.value, null, 2);
    case 'form':
      return String(new URLSearchParams(body.pairs));
    case 'text':
      return body.text;
    default:
      return body satisfies never;
  }
}
