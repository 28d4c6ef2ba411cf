/** Answers the operations of the state: processes, upstreams, store, Redis, settings, and the panels of services. */
import { X509Certificate } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { arch, platform, release } from 'node:os';
import { join } from 'node:path';
import {
  answersOf,
  type Backend,
  describeStore,
  engineTitle,
  startedAt,
  storeAddress,
  type UpstreamPlan,
} from '../../backend/index.ts';
import { type Config, endOf, readTls, version } from '../../config/index.ts';
import { redact } from '../../core/lib/index.ts';
import { databaseName } from '../../stores/sqlite/index.ts';
import type { ConsoleContext, ViewHandlers } from '../console-context.ts';
import type { stateOperations } from './contract.ts';

export function stateHandlers(context: ConsoleContext): ViewHandlers<(typeof stateOperations)[number]> {
  const { config, backend, services, plan, processes } = context;
  return {
    async listUpstreams() {
      const reports = await processes();
      return {
        upstreams: plan.upstreams.map(({ name, url, format, key, connections }) => ({
          name,
          url: redact(url),
          format,
          answers: answersOf(plan, services, name),
          deduplicates: key !== undefined,
          connectionsMax: connections,
          processes: reports.flatMap(({ pid, upstreams }) =>
            upstreams.filter((each) => each.name === name).map(({ name: _, ...state }) => ({ pid, ...state })),
          ),
        })),
      };
    },
    async getStore() {
      const schema = await backend.inspection.findSchema();
      if (schema === undefined) throw new Error('the store has no migration');
      return {
        engine: engineTitle(config),
        place: describeStore(storeAddress(config)),
        bytes: await sizeOf(config, backend),
        migration: schema.number,
        migrationName: `${schema.owner} ${schema.number}`,
        migratedAt: schema.appliedAt,
        redis: config.redisUrl !== undefined,
        processes: (await processes()).map(({ pid, connections, redis }) => ({ pid, ...connections, redis })),
      };
    },
    async getProcesses() {
      const reports = await processes();
      const own = { pid: process.pid, startedAt: startedAt(), memoryBytes: process.memoryUsage.rss() };
      const isAmong = reports.some(({ pid }) => pid === process.pid);
      return {
        version,
        node: process.version,
        platform: `${platform()} ${release()} ${arch()}`,
        processes: [
          ...(isAmong ? [] : [{ ...own, role: 'primary' as const }]),
          ...reports.map(({ pid, role, startedAt: since, memoryBytes }) => ({
            pid,
            role,
            startedAt: since,
            memoryBytes,
          })),
        ],
        certificates: certificatesOf(config, plan),
      };
    },
    async listPanels() {
      const { panels = [] } = backend.services;
      return {
        panels: await Promise.all(
          panels.map(async ({ name, title, doc, read }) => ({ name, title, doc, facts: await read() })),
        ),
      };
    },
    listSettings: async () => ({
      settings: config.reports.map(({ name, value, unit, source, doc, isSecret }) => ({
        name,
        // `value` is hidden already where it is secret and set.
        value: isSecret && value !== '(none)' ? '(hidden)' : redact(value),
        unit,
        source: redact(source),
        isDefault: source === 'default',
        doc,
      })),
    }),
  };
}

/** The certificates that the gateway presents: its own, and those for upstreams. */
export function certificatesOf(
  config: Config,
  plan: UpstreamPlan,
): readonly { readonly name: string; readonly expiresAt: number }[] {
  const own = config.tlsCertFile === undefined ? [] : [{ name: 'callers', expiresAt: endOf(readTls(config)) }];
  const clients = plan.upstreams.flatMap(({ name, tls: { cert } }) =>
    cert === undefined ? [] : [{ name: `upstream ${name}`, expiresAt: Date.parse(new X509Certificate(cert).validTo) }],
  );
  return [...own, ...clients];
}

/** The embedded store is a file with its write-ahead log. */
async function sizeOf({ databaseUrl, dataDir }: Config, { inspection }: Backend): Promise<number | undefined> {
  if (databaseUrl !== undefined) return inspection.findDatabaseBytes();
  const files = [databaseName, `${databaseName}-wal`]
    .map((name) => join(dataDir, name))
    .filter((path) => existsSync(path));
  return files.length === 0 ? undefined : files.reduce((sum, path) => sum + statSync(path).size, 0);
}
