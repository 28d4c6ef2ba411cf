/** Production checks: finds what makes a configuration unsafe to serve, with a correction for each fault. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, endOf, hasDatabase, productionFaultsOfServices, readTls } from '../config/index.ts';
import { isLoopback, isPlainAddress } from '../core/lib/index.ts';
import { checkTls } from '../http/index.ts';
import { parseDatabaseUrl } from '../stores/index.ts';
import { noUpstreams, serversOf, type UpstreamPlan } from './upstreams/plan.ts';
import type { ConfiguredUpstream } from './upstreams/read-upstream.ts';

/** A file that the demo leaves in its data folder. `serve` refuses such a folder. */
export const demoMark = 'DEMO';

/**
 * Returns why this configuration must not be served, each fault with its correction.
 * The checks that need the store (published credentials, wrong keys) are in cli/store-faults.ts.
 */
export function productionFaults(config: Config, options: CheckOptions = {}): readonly string[] {
  if (config.mode === 'demo') return demoFaults(config, options);
  const { keys, keyFile, databaseUrl, dataDir, environment } = config;
  const faults: string[] = [];
  if (keys === undefined)
    faults.push('There are no keys: name a key file in KEY_FILE; `triglyph keys create FILE` creates one.');
  if (keyFile !== undefined) faults.push(...keyFileFaults(keyFile));
  faults.push(...tlsFaults(config));
  faults.push(...productionFaultsOfServices(config));
  if (hasDatabase(config) && databaseUrl === undefined && existsSync(join(dataDir, demoMark)))
    faults.push(`DATA_DIR ${dataDir} holds the demo's data: name another folder.`);
  if (environment !== 'live') return faults;
  const { plan = noUpstreams } = options;
  const inClear = plan.callers.filter(({ isInClear }) => isInClear).map(({ caller }) => caller.credential);
  if (inClear.length > 0)
    faults.push(
      `ENVIRONMENT is live, and the configuration has the secret of ${inClear.join(', ')} in clear: name its place, or add a stored credential.`,
    );
  return [...faults, ...liveFaults(config), ...serversOf(plan).flatMap(plainUpstream)];
}

interface CheckOptions {
  /** Of the demo: the command line names the host, so that a variable left behind opens no demo to others. */
  readonly isHostChosen?: boolean;
  readonly plan?: UpstreamPlan;
}

/** The owner may read and write a key file, and its group may read it. */
export function keyFileFaults(file: string, name = 'KEY_FILE'): readonly string[] {
  // Windows has no permission bits.
  if (process.platform === 'win32' || (statSync(file).mode & 0o027) === 0) return [];
  return [`${name} ${file} can be read or changed by others: chmod 600 it (640 where a group must read it).`];
}

function tlsFaults(config: Config): readonly string[] {
  const { tlsCertFile, tlsKeyFile } = config;
  if (tlsCertFile === undefined || tlsKeyFile === undefined) return [];
  try {
    checkTls(readTls(config));
    return keyFileFaults(tlsKeyFile, 'TLS_KEY_FILE');
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    return [`TLS_CERT_FILE ${tlsCertFile} and TLS_KEY_FILE ${tlsKeyFile} cannot be used: ${reason}.`];
  }
}

const warnedMs = 30 * 86_400_000;

/** Says that the certificate of the server ends soon. Files that cannot be used are a fault. */
export function tlsWarnings(config: Config, now: number): readonly string[] {
  if (config.tlsCertFile === undefined || tlsFaults(config).length > 0) return [];
  const end = endOf(readTls(config));
  if (end > now + warnedMs) return [];
  return [`TLS_CERT_FILE ${config.tlsCertFile} ends at ${new Date(end).toISOString()}: renew it.`];
}

function demoFaults({ host, environment }: Config, { isHostChosen = false }: CheckOptions): readonly string[] {
  const faults: string[] = [];
  if (!isLoopback(host) && !isHostChosen)
    faults.push(
      `HOST is ${host}: the credentials of the demo are public, so it serves 127.0.0.1, and other addresses with --host only.`,
    );
  if (environment === 'live') faults.push('ENVIRONMENT is live: the demo serves test only; use `serve`.');
  return faults;
}

/** Refuses connections on which secrets would cross the network in the clear. */
function liveFaults({ host, trustedProxies, tlsCertFile, publicUrl, databaseUrl, kmsUrl }: Config): readonly string[] {
  const faults: string[] = [];
  if (!isLoopback(host) && !trustedProxies.any && tlsCertFile === undefined)
    faults.push(
      'ENVIRONMENT is live and nothing terminates TLS: set TLS_CERT_FILE, name the proxy in TRUSTED_PROXIES, or bind HOST to 127.0.0.1.',
    );
  if (publicUrl === undefined)
    faults.push(
      'ENVIRONMENT is live and PUBLIC_URL is missing: set it to the address that callers use, like https://api.example.com.',
    );
  if (publicUrl?.startsWith('http:'))
    faults.push('PUBLIC_URL is plain http while ENVIRONMENT is live: give its https address.');
  if (kmsUrl !== undefined && isPlainAddress(kmsUrl))
    faults.push(
      'KMS_URL is plain http while ENVIRONMENT is live: give its https address, or an agent on this machine.',
    );
  if (databaseUrl !== undefined && isPlainDatabase(databaseUrl))
    faults.push(
      'ENVIRONMENT is live and DATABASE_URL does not mention TLS: add sslmode=verify-full, or sslmode=disable where the network protects it.',
    );
  return faults;
}

/** An explicit sslmode is the decision of the operator, `disable` included. */
function isPlainDatabase(databaseUrl: string): boolean {
  const address = parseDatabaseUrl(databaseUrl);
  if ('hint' in address) return true;
  return address.urls.some((url) => {
    const { hostname, searchParams } = new URL(url);
    const host = searchParams.get('host') ?? hostname;
    const isSocket = host === '' || host.startsWith('/') || /^%2f/i.test(host);
    return !isSocket && !isLoopback(host) && !searchParams.has('sslmode');
  });
}

/** Requests carry credentials. */
function plainUpstream({ name, url, credentials }: ConfiguredUpstream): readonly string[] {
  const remedy = 'give its https address, or one on this machine.';
  const faults: string[] = [];
  if (isPlainAddress(url)) faults.push(`upstreams.${name}.url is plain http while ENVIRONMENT is live: ${remedy}`);
  if (credentials.kind === 'client' && isPlainAddress(credentials.client.tokenUrl))
    faults.push(`upstreams.${name}.credentials.oauth2.tokenUrl is plain http while ENVIRONMENT is live: ${remedy}`);
  return faults;
}
