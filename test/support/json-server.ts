/** Starts the JSON-only server of the examples in the process of the test. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The example is plain JavaScript without types. */
const modulePath = new URL('../../examples/json-server/server.mjs', import.meta.url).href;
export const { createJsonServer } = (await import(modulePath)) as {
  createJsonServer(options?: JsonServerOptions): Server;
};

export interface JsonServerOptions {
  /** Whether a write with the `Idempotency-Key` of an earlier one is answered as that was. */
  readonly deduplicate?: boolean;
  /** By the value of the `Authorization` or `X-API-Key` header. */
  readonly credentials?: Readonly<Record<string, { readonly accounts: readonly string[] }>>;
  /** Inputs of storeToken, with `creationDate`, `recurringDetailReference` and `firstPspReference`. */
  readonly details?: readonly object[];
  /** What the issuer says of a card, by its number. */
  readonly issuers?: Readonly<Record<string, object>>;
  readonly now?: () => number;
  readonly reference?: (kind: 'request' | 'detail' | 'notification') => string;
}

export interface JsonServer {
  readonly origin: string;
  /** The number of times that an operation had its effect for a shopper. */
  effects(operation: string, shopperReference: string): Promise<number>;
  allEffects(): Promise<Readonly<Record<string, number>>>;
  close(): Promise<void>;
}

export async function startJsonServer(options: JsonServerOptions = {}): Promise<JsonServer> {
  const server = createJsonServer(options).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const allEffects = async (): Promise<Readonly<Record<string, number>>> =>
    (await fetch(`${origin}/effects`)).json() as Promise<Record<string, number>>;
  return {
    origin,
    allEffects,
    effects: async (operation, shopperReference) => (await allEffects())[`${operation} ${shopperReference}`] ?? 0,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
