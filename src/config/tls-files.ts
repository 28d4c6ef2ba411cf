/** The certificate files of a server: reads them, and reads them again when they have changed. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { startPeriodicTask } from '../core/lib/index.ts';
import { checkTls, type Log, logFailure, type TlsOptions, type TlsSource } from '../http/index.ts';
import type { Config } from './config.ts';

/** A certificate from files. */
export interface TlsFiles extends TlsSource {
  /** When the certificate in use ends, in milliseconds since the epoch. */
  expiresAt(): number;
  /** Reads the files again. Watching them does the same. */
  reload(): Promise<void>;
  stop(): Promise<void>;
}

interface TlsReport {
  renewed(expiresAt: number): void;
  /** The files cannot be used: the certificate before them stays. */
  failed(thrown: unknown): void;
}

/** Logs what becomes of the files. */
export function tlsReport(log: Log): TlsReport {
  return {
    renewed: (expiresAt) =>
      log.write('info', 'the TLS certificate was renewed', { expires: new Date(expiresAt).toISOString() }),
    failed: (thrown) =>
      logFailure(log, thrown, 'the changed TLS files cannot be used: the certificate before them stays'),
  };
}

type TlsConfig = Pick<Config, 'tlsCertFile' | 'tlsKeyFile' | 'tlsClientCaFile' | 'tlsMinVersion'>;

/**
 * Files are compared by content: a link to another folder, as Kubernetes renews secrets, changes no time of a file. The task
 * runs half as often to one and a half times.
 */
const readEveryMs = 4_000;

/** Returns undefined where the configuration names no certificate. Throws where the files cannot be used. */
export function openTlsFiles(config: TlsConfig, report: TlsReport): TlsFiles | undefined {
  if (config.tlsCertFile === undefined) return undefined;
  let current = readTls(config);
  checkTls(current);
  const listeners = new Set<(renewed: TlsOptions) => void>();
  let failure: { readonly text: string; times: number } | undefined;
  const renew = (read: TlsOptions): void => {
    if (isSame(read, current)) return;
    checkTls(read);
    current = read;
    for (const listener of listeners) listener(read);
    report.renewed(endOf(read));
  };
  const reload = async (): Promise<void> => {
    try {
      renew(readTls(config));
      failure = undefined;
    } catch (thrown) {
      // A pair that is half written is no fault yet. What fails a second time is reported, once.
      const text = String(thrown);
      if (failure?.text !== text) failure = { text, times: 0 };
      failure.times += 1;
      if (failure.times === 2) report.failed(thrown);
    }
  };
  const task = startPeriodicTask(reload, readEveryMs, report.failed);
  return Object.freeze<TlsFiles>({
    current: () => current,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    expiresAt: () => endOf(current),
    reload,
    stop: () => task.stop(),
  });
}

/** Small files, which the kernel has in memory. */
export function readTls({ tlsCertFile, tlsKeyFile, tlsClientCaFile, tlsMinVersion }: TlsConfig): TlsOptions {
  const read = (file: string | undefined): string => readFileSync(file!, 'utf8');
  return {
    cert: read(tlsCertFile),
    key: read(tlsKeyFile),
    ...(tlsClientCaFile !== undefined && { clientCa: read(tlsClientCaFile) }),
    minVersion: `TLSv${tlsMinVersion}`,
  };
}

function isSame(a: TlsOptions, b: TlsOptions): boolean {
  return a.cert === b.cert && a.key === b.key && a.clientCa === b.clientCa;
}

/** When a certificate ends, in milliseconds since the epoch. */
export function endOf({ cert }: TlsOptions): number {
  return Date.parse(new X509Certificate(cert).validTo);
}
