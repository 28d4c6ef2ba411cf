/** Two servers on a private PostgreSQL, a receiver of webhooks, and a company for each number of endpoints. */
import { once } from 'node:events';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Postgres, startPostgres } from '../../test/support/postgres.ts';
import { prepareProduction, type Server, startServer } from '../../test/support/server.ts';
import { openBuiltIn, readConfig } from '../../test/support/services.ts';
import { cpuUs } from '../server.ts';
import { type Company, createCompany } from './companies.ts';

export interface Counters {
  readonly commits: number;
  readonly rollbacks: number;
}

export interface Cluster {
  readonly companies: readonly Company[];
  /** `http://127.0.0.1:40123` of each server. */
  readonly origins: readonly string[];
  /** CPU time of the servers since their start, in microseconds. */
  cpuUs(): number;
  counters(): Promise<Counters>;
  /** Waits until every webhook was delivered. */
  drain(): Promise<void>;
  stop(): Promise<void>;
}

const servers = 2;
/** The statistics of PostgreSQL are at most a second old. */
const statisticsMs = 1_200;

export async function startCluster(folder: string, endpointCounts: readonly number[]): Promise<Cluster> {
  const postgres = await startPostgres({ durable: true });
  const started: Server[] = [];
  const receiver = await startReceiver();
  const stop = async () => {
    await Promise.all(started.map((server) => server.stop()));
    receiver.server.closeAllConnections();
    receiver.server.close();
    await postgres.discard();
  };
  try {
    const url = await postgres.createDatabase();
    const { variables } = await prepareProduction(folder, { DATABASE_URL: url, LOG_LEVEL: 'warn' });
    for (let number = 0; number < servers; number++) started.push(await startServer('serve', folder, variables));
    const origins = started.map(({ callers }) => callers);
    const backend = await openBuiltIn(readConfig('production', variables), { exclusive: false });
    const companies: Company[] = [];
    for (const endpoints of endpointCounts)
      companies.push(await createCompany(backend, origins, { endpoints, receiver: receiver.origin }));
    await backend.close();
    const queued = async () => Number((await postgres.ask('select count(*) as jobs from job', [], url))[0]?.jobs);
    return {
      companies,
      origins,
      cpuUs: () => started.reduce((sum, { pid }) => sum + cpuUs(pid), 0),
      counters: () => counters(postgres, url),
      async drain() {
        while ((await queued()) > 0) await sleep(100);
        await sleep(statisticsMs);
      },
      stop,
    };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}

async function counters(postgres: Postgres, url: string): Promise<Counters> {
  const [row] = await postgres.ask(
    'select xact_commit as commits, xact_rollback as rollbacks from pg_stat_database where datname = current_database()',
    [],
    url,
  );
  return { commits: Number(row?.commits), rollbacks: Number(row?.rollbacks) };
}

async function startReceiver(): Promise<{ readonly server: HttpServer; readonly origin: string }> {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.end('[accepted]'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
