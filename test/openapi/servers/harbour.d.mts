import type { Server } from 'node:http';

export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

export function createHarbour(): { readonly server: Server; readonly received: readonly ReceivedRequest[] };
