/** The admin server: liveness, readiness and metrics, on a port of its own. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';

/** Something that must work for requests to be answered. */
export interface Probe {
  readonly name: string;
  /** Throws or rejects where it does not. */
  check(): unknown;
}

export interface AdminParts {
  readonly host: string;
  readonly port: number;
  readonly registry: Pick<Registry, 'contentType' | 'metrics'>;
  readonly probes: readonly Probe[];
  /** True once the server stops. */
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

const probeMsMax = 2000;

const page = (status: number, value: object): Page => ({
  status,
  contentType: 'application/json; charset=utf-8',
  body: `${JSON.stringify(value)}\n`,
});

/** `ok`, or the name of what was thrown: its text may say more than a port without credentials should. */
const attempt = async ({ check }: Probe): Promise<string> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('timeout'), probeMsMax);
  });
  try {
    return await Promise.race([Promise.resolve(check()).then(() => 'ok'), late]);
  } catch (thrown) {
    return thrown instanceof Error ? thrown.name : 'failed';
  } finally {
    clearTimeout(timer);
  }
};

type Inspected = Pick<AdminParts, 'probes' | 'draining'>;

const inspect = async ({ probes, draining }: Inspected) => {
  const results = await Promise.all(probes.map(async (probe) => [probe.name, await attempt(probe)] as const));
  const stopping = draining();
  const ready = !stopping && results.every(([, result]) => result === 'ok');
  return { ready, draining: stopping, probes: Object.fromEntries(results) };
};

/** Whether requests would be answered. */
export const isReady = async (parts: Inspected): Promise<boolean> => (await inspect(parts)).ready;

const readiness = async (parts: AdminParts): Promise<Page> => {
  const found = await inspect(parts);
  return page(found.ready ? 200 : 503, found);
};

const pageAt = async (path: string, parts: AdminParts): Promise<Page> => {
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
};

export const openAdmin = async (parts: AdminParts): Promise<Admin> => {
  const server = createServer({ maxHeaderSize: 8192, headersTimeout: 5000, requestTimeout: 5000 });
  server.maxConnections = 64;
  server.on('request', (request, response) => {
    const wanted = request.method === 'GET' || request.method === 'HEAD';
    const path = (request.url ?? '').split('?')[0] ?? '';
    const made = wanted ? pageAt(path, parts) : Promise.resolve(page(405, { methods: ['GET', 'HEAD'] }));
    made
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
      // What failed to be written has nobody left to be told.
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
};
