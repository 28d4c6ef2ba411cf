/** Runs the merchants' client library, with its own HTTP client, against a test server behind TLS, which the library requires. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { createServer, type TLSSocket } from 'node:tls';
import * as library from '@adyen/api-library';
import { type Server, startServer } from './server.ts';
import { createTempFolder, tempFolder } from './temp-folder.ts';

const { Client, EnvironmentEnum, HttpClientException, HttpURLConnectionClient } = library;

export interface Secured {
  /** `https://127.0.0.1:40123` */
  readonly origin: string;
  close(): Promise<void>;
}

/** Creates a self-signed certificate for one day. */
const certificate = (): { readonly key: Buffer; readonly cert: Buffer } => {
  const folder = createTempFolder();
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  try {
    const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=127.0.0.1'];
    execFileSync('openssl', [...request, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    return { key: readFileSync(key), cert: readFileSync(cert) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Opens a TLS proxy before a server, which passes bytes unchanged. */
const secure = async (origin: string): Promise<Secured> => {
  const { hostname, port } = new URL(origin);
  const open = new Set<TLSSocket>();
  const server = createServer(certificate(), (socket) => {
    open.add(socket);
    const behind = connect(Number(port), hostname);
    const end = () => {
      open.delete(socket);
      socket.destroy();
      behind.destroy();
    };
    for (const each of [socket, behind]) each.on('error', end).on('close', end);
    socket.pipe(behind).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};

/** Starts the demo in its own folder, behind TLS. */
export interface SecuredDemo extends Secured {
  readonly server: Server;
}

export const startSecuredDemo = async (): Promise<SecuredDemo> => {
  const folder = tempFolder();
  const server = await startServer('demo', folder.path);
  const { origin, close } = await secure(server.callers);
  return {
    origin,
    server,
    async close() {
      await close();
      await server.stop();
      folder.discard();
    },
  };
};

type Asked = Parameters<library.HttpURLConnectionClient['request']>;

/** The library's HTTP client with another origin. */
class Redirected extends HttpURLConnectionClient {
  readonly #origin: string;

  constructor(origin: string) {
    super();
    this.#origin = origin;
  }

  override request(endpoint: string, ...rest: Asked extends [string, ...infer R] ? R : never): Promise<string> {
    const { pathname } = new URL(endpoint);
    return super.request(`${this.#origin}${pathname}`, ...rest);
  }
}

export type Secret = { readonly apiKey: string } | { readonly username: string; readonly password: string };

/** A client of the library whose requests all go to `origin`. */
export const clientAt = (origin: string, secret: Secret): library.Client =>
  new Client(
    // 'unencrypted' makes the library accept a self-signed certificate.
    { environment: EnvironmentEnum.TEST, certificatePath: 'unencrypted', ...secret } as library.Config,
    new Redirected(origin),
  );

/** Returns the exception that the library throws for an error response. */
export const refusal = async (asked: Promise<unknown>): Promise<library.HttpClientException> => {
  try {
    await asked;
  } catch (thrown) {
    if (thrown instanceof HttpClientException) return thrown;
    throw thrown;
  }
  throw new Error('it was not refused');
};
