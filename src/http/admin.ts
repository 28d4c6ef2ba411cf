/** The admin server: liveness, readiness and metrics on a separate port. */

import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import type { Problem } from '../core/contract/index.ts';
import { endsWithin } from '../core/lib/index.ts';
import { type AdminAccess, refuseAdminRequest } from './admin-access.ts';
import { jsonPage, methodPage, type Page } from './admin-page.ts';
import { type AdminRequest, readAdminRequest } from './admin-request.ts';
import { createWebServer } from './node-http.ts';
import { endPipeline, limitPipeline } from './pipeline.ts';
import { headFault } from './received-request.ts';
import { type SiteServerOptions, siteListener } from './serve-site.ts';
import type { TlsSource } from './tls.ts';

/** A part that requests depend on. */
export interface Probe {
  readonly name: string;
  /** Only some requests depend on the part: the server is ready without it. */
  readonly isPartial?: boolean;
  /** Requests that read do not depend on the part. */
  readonly isOnlyForWrites?: boolean;
  /** Throws or rejects if the part does not work. */
  check(): unknown;
}

export interface AdminParts {
  readonly host: string;
  readonly port: number;
  /** The certificate of an admin port that speaks HTTPS. */
  readonly tls?: TlsSource | undefined;
  readonly registry: Pick<Registry, 'contentType' | 'metrics'>;
  /** Who may use the port. When absent, any caller that names it by an address or a private name. */
  readonly access?: AdminAccess | undefined;
  /** What /readyz answers. */
  readonly readiness: () => Promise<Readiness>;
  /** Answers further paths. Returns undefined for a path that it does not have. */
  readonly extension?: ((request: AdminRequest) => Promise<Page | undefined>) | undefined;
  /** The console. It knows who may use it, so it needs no token. */
  readonly site?: Omit<SiteServerOptions, 'access'> | undefined;
}

export interface Admin {
  readonly port: number;
  close(): Promise<void>;
}

export async function openAdmin(parts: AdminParts): Promise<Admin> {
  const server = createWebServer({ maxHeaderSize: 8192, headersTimeout: 5000, requestTimeout: 5000 }, parts.tls);
  server.maxConnections = 64;
  const { site, access = defaultAccess } = parts;
  const serveSite = site && siteListener({ ...site, access });
  const onRequest = limitPipeline((request, response) => {
    const received = readAdminRequest(request);
    if (site?.site.owns(received.path)) {
      serveSite?.(request, response);
      return;
    }
    const fault = headFault(request, headersMax);
    if (fault !== undefined) {
      endPipeline(request.socket);
      response.shouldKeepAlive = false;
    }
    (fault === undefined ? answer(received, parts) : Promise.resolve(faultPage(fault)))
      .catch(() => jsonPage(500, { failed: received.path === '/metrics' ? 'metrics' : 'request' }))
      .then(({ status, contentType, body, allow, challenge }) => {
        response.writeHead(status, {
          'Content-Type': contentType,
          'Content-Length': Buffer.byteLength(body),
          'Cache-Control': 'no-store',
          'X-Content-Type-Options': 'nosniff',
          ...(allow && { Allow: allow.join(', ') }),
          ...(challenge && { 'WWW-Authenticate': challenge }),
        });
        response.end(body);
      })
      // The response cannot be written, so the connection is closed.
      .catch(() => response.destroy());
  });
  server.on('request', onRequest);
  server.on('checkContinue', (request, response) => {
    // A site sends 100 Continue itself, when it reads the body.
    if (!site?.site.owns(readAdminRequest(request).path)) response.writeContinue();
    onRequest(request, response);
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

/** Returns `ok`, or the name of the error. Its message could reveal too much on a port without credentials. */
async function resultOf({ check }: Probe): Promise<string> {
  try {
    return (await endsWithin(Promise.resolve(check()), probeMsMax)) ? 'ok' : 'timeout';
  } catch (thrown) {
    return thrown instanceof Error ? thrown.name : 'failed';
  }
}

export interface Readiness {
  /** Every part that all requests depend on works, and the server does not stop. */
  readonly ready: boolean;
  /** The same for requests that read. */
  readonly readyForReads: boolean;
  readonly draining: boolean;
  /** `ok`, or the name of the error, by part. */
  readonly probes: Readonly<Record<string, string>>;
}

interface Inspected {
  readonly probes: readonly Probe[];
  /** True while the server stops. */
  readonly draining: () => boolean;
}

/** Checks all parts. */
export async function inspect({ probes, draining }: Inspected): Promise<Readiness> {
  const results = await Promise.all(probes.map(async (probe) => ({ probe, result: await resultOf(probe) })));
  const stopping = draining();
  const needed = results.filter(({ probe, result }) => result !== 'ok' && probe.isPartial !== true);
  return {
    ready: !stopping && needed.length === 0,
    readyForReads: !stopping && needed.every(({ probe }) => probe.isOnlyForWrites === true),
    draining: stopping,
    probes: Object.fromEntries(results.map(({ probe, result }) => [probe.name, result])),
  };
}

async function readinessPage({ readiness }: AdminParts, member: 'ready' | 'readyForReads' = 'ready'): Promise<Page> {
  const found = await readiness();
  return jsonPage(found[member] ? 200 : 503, found);
}

const pages: Readonly<Record<string, (parts: AdminParts) => Promise<Page>>> = Object.freeze({
  '/livez': async () => jsonPage(200, { live: true }),
  '/readyz': (parts) => readinessPage(parts),
  '/readyz/reads': (parts) => readinessPage(parts, 'readyForReads'),
  '/metrics': async ({ registry }) => ({
    status: 200,
    contentType: registry.contentType,
    body: await registry.metrics(),
  }),
});

const headersMax = 64;
const methods = ['GET', 'HEAD'];
const defaultAccess: AdminAccess = { hosts: [] };

function faultPage({ status, message }: Problem): Page {
  return jsonPage(status, { error: message });
}

async function answer(request: AdminRequest, parts: AdminParts): Promise<Page> {
  const refusal = refuseAdminRequest(request, parts.access ?? defaultAccess);
  if (refusal !== undefined) return refusal;
  const create = Object.hasOwn(pages, request.path) ? pages[request.path] : undefined;
  if (create !== undefined) return methods.includes(request.method) ? create(parts) : methodPage(methods);
  return (
    (await parts.extension?.(request)) ??
    jsonPage(404, { paths: [...Object.keys(pages), ...(parts.site === undefined ? [] : ['/console'])] })
  );
}
