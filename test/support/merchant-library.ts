/** Runs the merchants' client library, with its own HTTP client, against the demo with TLS, which the library requires. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import * as library from '@adyen/api-library';
import { type Server, startServer } from './server.ts';
import { tempFolder } from './temp-folder.ts';

const { Client, EnvironmentEnum, HttpClientException, HttpURLConnectionClient } = library;

/** The demo with TLS, whose certificate this process trusts. */
export interface SecuredDemo {
  readonly server: Server;
  /** `https://127.0.0.1:40123` */
  readonly origin: string;
  close(): Promise<void>;
}

/** Starts the demo in its own folder, with TLS. */
export const startSecuredDemo = async (): Promise<SecuredDemo> => {
  const folder = tempFolder();
  const server = await startServer('demo', folder.path, {}, { parameters: ['--tls'] });
  // As NODE_EXTRA_CA_CERTS does at the start of a process.
  const certificate = readFileSync(join(server.dataDir, 'tls-cert.pem'), 'utf8');
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, certificate]);
  return {
    origin: server.callers,
    server,
    async close() {
      setDefaultCACertificates(before);
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
  new Client({ environment: EnvironmentEnum.TEST, ...secret } as library.Config, new Redirected(origin));

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
