/** The admin server: liveness, readiness and metrics on a separate port. */
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { createServer } from './node-http.ts';

/** A part that requests depend on. */
export interface Probe {
  readonly name: string;
  /** Throws or rejects if the part does not work. */
  check(): unknown;
}

export interface AdminParts {
  readonly host: string;
  readonly port: number;
  readonly registry: Pick<Registry, 'contentType' | 'metrics'>;
  readonly probes: readonly Probe[];
  /** True while the server stops. */
  readonly draining: () => boolean;
}

export interface Admin {
  readonly port: number;
  close(): Promise<void>;
}

interface Page {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

export async function openAdmin(parts: AdminParts): Promise<Admin> {
  const server = createServer({ maxHeaderSize: 8192, headersTimeout: 5000, requestTimeout: 5000 });
  server.maxConnections = 64;
  server.on('request', (request, response) => {
    const isAllowed = request.method === 'GET' || request.method === 'HEAD';
    const path = (request.url ?? '').split('?')[0] ?? '';
    const created = isAllowed ? pageAt(path, parts) : Promise.resolve(page(405, { methods: ['GET', 'HEAD'] }));
    created
      .catch(() => page(500, { failed: path === '/metrics' ? 'metrics' : 'probe' }))
      .then(({ status, contentType, body }) => {
        response.writeHead(status, {
          'Content-Type': contentType,
          'Content-Length': Buffer.byteLength(body),
          'Cache-Control': 'no-store',
          'X-Content-Type-Options': 'nosniff',
          ...(status === 405 ? { Allow: 'GET, HEAD' } : {}),
        });
        response.end(body);
      })
      // The response cannot be written, so the connection is closed.
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(parts.port, parts.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const probeMsMax = 2000;

/** Whether every probe succeeds and the server does not stop. */
export async function isReady(parts: Inspected): Promise<boolean> {
  return (await inspect(parts)).ready;
}

function page(status: number, value: object): Page {
  return {
    status,
    contentType: 'application/json; charset=utf-8',
    body: `${JSON.stringify(value)}\n`,
  };
}

/** Returns `ok`, or the name of the error. Its message could reveal too much on a port without credentials. */
async function resultOf({ check }: Probe): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('timeout'), probeMsMax);
  });
  try {
    return await Promise.race([Promise.resolve(check()).then(() => 'ok'), timeout]);
  } catch (thrown) {
    return thrown instanceof Error ? thrown.name : 'failed';
  } finally {
    clearTimeout(timer);
  }
}

type Inspected = Pick<AdminParts, 'probes' | 'draining'>;

async function inspect({ probes, draining }: Inspected) {
  const results = await Promise.all(probes.map(async (probe) => [probe.name, await resultOf(probe)] as const));
  const stopping = draining();
  const ready = !stopping && results.every(([, result]) => result === 'ok');
  return { ready, draining: stopping, probes: Object.fromEntries(results) };
}

async function readiness(parts: AdminParts): Promise<Page> {
  const found = await inspect(parts);
  return page(found.ready ? 200 : 503, found);
}

async function pageAt(path: string, parts: AdminParts): Promise<Page> {
  switch (path) {
    case '/livez':
      return page(200, { live: true });
    case '/readyz':
      return readiness(parts);
    case '/metrics':
      return { status: 200, contentType: parts.registry.contentType, body: await parts.registry.metrics() };
    default:
      return page(404, { paths: ['/livez', '/readyz', '/metrics'] });
  }
}
