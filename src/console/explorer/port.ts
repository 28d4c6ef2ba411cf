/** What the explorer needs of the server. */
import type { Buffer } from 'node:buffer';
import type { PresentedSecret } from '../../callers/credentials/credentials.ts';
import type { MaskSecrets } from '../../contract/redaction.ts';
import type { Service } from '../../contract/service.ts';

export interface ExplorerPort {
  /** Every version; of each service, the newest last. */
  readonly services: readonly Service[];
  /** Where callers reach the services. */
  readonly origin: () => string;
  /** Public credentials of callers, by name. Only the demo has any. */
  readonly demoCredentials: ReadonlyMap<string, DemoCaller>;
  readonly mask: MaskSecrets;
  /** Masks secrets in a text of which nothing else is known. */
  readonly maskText: (text: string) => string;
  /** Sends a request to the port for callers of this gateway, and nowhere else. Rejects where there is no answer. */
  readonly send: (request: SentRequest) => Promise<SentAnswer>;
}

export interface DemoCaller {
  readonly presented: PresentedSecret;
  readonly roles: readonly string[];
}

export interface SentRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

export interface SentAnswer {
  readonly status: number;
  /** As they were sent, each with its name. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  readonly ms: number;
}
