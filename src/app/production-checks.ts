/** What makes a configuration unsafe to serve with, each fault with how to mend it. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from './config.ts';

/** The demo leaves this file in its data folder, so that production knows it. */
export const demoMark = 'DEMO';

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127\./.test(host);

/** A key file may be read by its owner, and by a group that has to; nobody else may, and only its owner may write it. */
export const keyFileFaults = (file: string): readonly string[] => {
  // Windows has no such bits: its `mode` says nothing.
  if (process.platform === 'win32') return [];
  return (statSync(file).mode & 0o027) === 0
    ? []
    : [`KEY_FILE ${file} can be read or changed by others: chmod 600 it (640 where a group must read it).`];
};

const demoFaults = ({ host, environment }: Config): readonly string[] => {
  const faults: string[] = [];
  if (!isLoopback(host)) {
    faults.push(`HOST is ${host}: the demo has credentials that everyone knows and serves 127.0.0.1 only.`);
  }
  if (environment === 'live') faults.push('ENVIRONMENT is live: the demo serves test only; use `serve`.');
  return faults;
};

/** What is kept would cross the network in the clear, and nobody has said that it may. */
const crossesOpenly = (databaseUrl: string): boolean => {
  const { hostname, searchParams } = new URL(databaseUrl);
  const host = searchParams.get('host') ?? hostname;
  const near = host === '' || host.startsWith('/') || /^%2f/i.test(host) || isLoopback(host.replace(/^\[|\]$/g, ''));
  return !near && !searchParams.has('sslmode');
};

const asksOpenly = (updaterUrl: string): boolean => {
  const { protocol, hostname } = new URL(updaterUrl);
  return protocol === 'http:' && !isLoopback(hostname.replace(/^\[|\]$/g, ''));
};

/** Files of checks hold card numbers in the clear. */
const folderFaults = (folder: string): readonly string[] =>
  process.platform === 'win32' || !existsSync(folder) || (statSync(folder).mode & 0o007) === 0
    ? []
    : [`UPDATER_FOLDER ${folder} is open to everybody: chmod 700 it (770 where a group must reach it).`];

/** Card numbers and secrets would cross the network in the clear. */
const liveFaults = ({ host, trustedProxies, publicUrl, databaseUrl, updaterUrl }: Config): readonly string[] => {
  const faults: string[] = [];
  if (!isLoopback(host) && !trustedProxies.any) {
    faults.push(
      'ENVIRONMENT is live and nothing ends TLS: name the proxy in TRUSTED_PROXIES, or bind HOST to 127.0.0.1.',
    );
  }
  if (publicUrl?.startsWith('http:')) {
    faults.push('PUBLIC_URL is plain http while ENVIRONMENT is live: give its https address.');
  }
  if (updaterUrl !== undefined && asksOpenly(updaterUrl)) {
    faults.push('UPDATER_URL is plain http while ENVIRONMENT is live: give its https address, or one on this machine.');
  }
  if (databaseUrl !== undefined && crossesOpenly(databaseUrl)) {
    faults.push(
      'ENVIRONMENT is live and DATABASE_URL says nothing of TLS: add sslmode=verify-full, or sslmode=disable where the network protects it.',
    );
  }
  return faults;
};

/**
 * Why this configuration must not serve, each with how to mend it; empty where it may.
 * What needs the store (credentials that everyone knows, keys that do not open it) is for the command to check.
 */
export const productionFaults = (config: Config): readonly string[] => {
  if (config.mode === 'demo') return demoFaults(config);
  const faults: string[] = [];
  if (config.keys === undefined) {
    faults.push('There are no keys: name a key file in KEY_FILE; `triglyph keys create FILE` makes one.');
  }
  if (config.keyFile !== undefined) faults.push(...keyFileFaults(config.keyFile));
  if (config.updaterFolder !== undefined) faults.push(...folderFaults(config.updaterFolder));
  if (config.demoShoppers > 0) faults.push('DEMO_SHOPPERS is set: remove it; only the demo makes shoppers up.');
  if (config.databaseUrl === undefined && existsSync(join(config.dataDir, demoMark))) {
    faults.push(`DATA_DIR ${config.dataDir} holds the demo's data: name another folder.`);
  }
  return config.environment === 'live' ? [...faults, ...liveFaults(config)] : faults;
};
