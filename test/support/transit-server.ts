/** A key management service with the protocol of Vault Transit: real AES-256-GCM, rotation, and faults on demand. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';

export interface TransitServer {
  readonly url: string;
  /** Tokens that may use the key. */
  readonly tokens: Set<string>;
  /** Answers the next requests with these statuses, and without doing anything. */
  readonly failures: number[];
  /** Milliseconds before each answer. */
  delayMs: number;
  /** Adds a version of the key. */
  rotate(): void;
  /** Refuses texts of earlier versions. */
  minVersion: number;
  /** The operations that were called, with the statuses of their answers. */
  readonly calls: { readonly operation: string; readonly status: number }[];
  close(): Promise<void>;
}

export interface TransitServerOptions {
  readonly namespace?: string;
  readonly tls?: { readonly key: string; readonly cert: string };
  readonly port?: number;
}

const keyName = 'triglyph';

export async function startTransitServer({
  namespace,
  tls,
  port = 0,
}: TransitServerOptions = {}): Promise<TransitServer> {
  const versions = [randomBytes(32)];
  const encrypt = (clear: Buffer): string => {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', versions.at(-1)!, nonce);
    const bytes = Buffer.concat([nonce, cipher.update(clear), cipher.final(), cipher.getAuthTag()]);
    return `vault:v${versions.length}:${bytes.toString('base64')}`;
  };
  const decrypt = (text: string): Buffer => {
    const [, version, base64] = /^vault:v(\d+):(.+)$/.exec(text)!;
    if (Number(version) < state.minVersion) throw new Error('the version is too old');
    const bytes = Buffer.from(base64!, 'base64');
    const decipher = createDecipheriv('aes-256-gcm', versions[Number(version) - 1]!, bytes.subarray(0, 12));
    decipher.setAuthTag(bytes.subarray(-16));
    return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
  };
  const operations: Readonly<Record<string, (input: Readonly<Record<string, string>>) => object>> = {
    encrypt: ({ plaintext }) => ({
      ciphertext: encrypt(Buffer.from(plaintext!, 'base64')),
      key_version: versions.length,
    }),
    decrypt: ({ ciphertext }) => ({ plaintext: decrypt(ciphertext!).toString('base64') }),
    rewrap: ({ ciphertext }) => ({ ciphertext: encrypt(decrypt(ciphertext!)), key_version: versions.length }),
    'datakey/wrapped': ({ bits }) => ({ ciphertext: encrypt(randomBytes(Number(bits) / 8)) }),
  };

  const respond = async (request: IncomingMessage): Promise<{ operation: string; status: number; body: object }> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const operation = new RegExp(`^/v1/transit/(.+)/${keyName}$`).exec(request.url ?? '')?.[1] ?? '';
    const refuse = (status: number, error: string) => ({ operation, status, body: { errors: [error] } });
    await setTimeout(state.delayMs, undefined, { ref: false });
    const failure = state.failures.shift();
    if (failure !== undefined) return refuse(failure, 'a fault of the test');
    if (request.method !== 'POST' || !Object.hasOwn(operations, operation)) return refuse(404, 'unsupported path');
    if (request.headers['x-vault-namespace'] !== namespace) return refuse(404, 'no handler for route');
    if (!state.tokens.has(String(request.headers['x-vault-token']))) return refuse(403, 'permission denied');
    try {
      const data = operations[operation]!(JSON.parse(Buffer.concat(chunks).toString()));
      return { operation, status: 200, body: { request_id: 'test', data } };
    } catch {
      return refuse(400, 'invalid ciphertext');
    }
  };
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    respond(request)
      .then(({ operation, status, body }) => {
        state.calls.push({ operation, status });
        response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
      })
      .catch(() => response.destroy());
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const state: TransitServer = {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tokens: new Set(['test-token']),
    failures: [],
    delayMs: 0,
    minVersion: 1,
    calls: [],
    rotate: () => {
      versions.push(randomBytes(32));
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return state;
}
