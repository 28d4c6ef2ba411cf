/** A cluster of three machines with PostgreSQL, Patroni and etcd, configured by the files in deploy/cluster, and its HAProxy. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { createCertificate } from './certificates.ts';
import { freePort } from './listen-locally.ts';
import { createNetwork, type Machine } from './network.ts';
import {
  etcdVariables,
  giveToServer,
  type Pooler,
  patroniFile,
  type Settings,
  startDatabaseProxy,
  startPooler,
} from './patroni-files.ts';
import { query } from './postgres-instance.ts';
import { createTempFolder } from './temp-folder.ts';
import { until } from './until.ts';

export interface Member extends Machine {
  readonly name: string;
  /** Starts etcd and Patroni, which starts PostgreSQL. */
  start(): void;
}

export interface Cluster {
  readonly members: readonly Member[];
  /** The URL of a database for gateways, by way of HAProxy. */
  readonly url: string;
  /** The URL that names all machines, and needs no HAProxy. */
  readonly urlOfHosts: string;
  /** Starts PgBouncer in transaction mode in front of HAProxy, and returns the URL that leads through it. */
  openPooler(): Promise<string>;
  primary(): Promise<Member>;
  synchronousStandby(): Promise<Member>;
  /** Changes settings of all members. */
  configure(settings: Settings): Promise<void>;
  switchOver(): Promise<void>;

  /** Runs a query as superuser at the primary. */
  ask(text: string, database?: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Writes at the primary by way of HAProxy on a connection of its own. */
  probe(): Promise<void>;
  /** Resolves when all three are up and replicate as they must. */
  healed(): Promise<void>;
  close(): Promise<void>;
}

const names = ['one', 'two', 'three'];
const pollMs = 200;

interface MemberState {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

/** Resolves when three members are up. The settings replace those of deploy/cluster. */
export async function startCluster(settings: Settings = {}): Promise<Cluster> {
  const folder = createTempFolder();
  giveToServer(folder);
  const network = createNetwork(names.length);
  const addresses = network.machines.map(({ address }) => address);
  const authority = createCertificate(folder, 'authority');
  const certificate = createCertificate(folder, 'server', authority, addresses);
  giveToServer(certificate.cert, certificate.key);
  const members = network.machines.map((machine, at): Member => {
    const name = names[at]!;
    const home = join(folder, name);
    mkdirSync(home, { mode: 0o700 });
    giveToServer(home);
    const placed = { name, home, prefix: network.prefix, address: machine.address, certificate, settings };
    const [variables, file] = [etcdVariables(placed), patroniFile(placed)];
    return {
      ...machine,
      name,
      start() {
        machine.run(['etcd'], { log: join(home, 'etcd.log'), env: variables });
        machine.run(['patroni', file], { log: join(home, 'patroni.log') });
      },
    };
  });
  const port = await freePort();
  const proxy = await startDatabaseProxy(folder, network.prefix, port);
  const urlOf = (user: string, hosts: string, database: string) =>
    `postgres://${user}@${hosts}/${database}?sslmode=verify-full&sslrootcert=${authority.cert}`;
  const ask = (text: string, database = 'postgres') =>
    query(urlOf('postgres:replace-me-1', `127.0.0.1:${port}`, database), text);

  /** Asks any member that answers. */
  const call = async (path: string, init: RequestInit = {}): Promise<unknown> => {
    const requests = addresses.map(async (address) => {
      const response = await fetch(`http://${address}:8008${path}`, { signal: AbortSignal.timeout(2_000), ...init });
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return response.json();
    });
    return Promise.any(requests);
  };
  const list = async () => ((await call('/cluster')) as { readonly members: readonly MemberState[] }).members;
  const memberWith = async (role: string): Promise<Member> => {
    const found = (await list()).find((each) => each.role === role);
    const member = members.find(({ name }) => name === found?.name);
    if (member === undefined) throw new Error(`no member is ${role}`);
    return member;
  };
  const logs = () => names.map((name) => tail(join(folder, name, 'patroni.log')));
  const healed = () =>
    until(
      async () => [await list().catch(String), await ask('select * from pg_stat_replication').catch(String), ...logs()],
      async () => {
        await setTimeout(pollMs);
        const roles = (await list()).map(({ role, state }) => `${role} ${state}`).sort();
        const { synchronous_mode } = (await call('/config')) as { readonly synchronous_mode?: boolean };
        const streaming = await ask(`select sync_state from pg_stat_replication where state = 'streaming'`);
        const synchronous = streaming.filter(({ sync_state }) => sync_state === 'sync').length;
        return (
          roles.length === names.length &&
          roles.includes('leader running') &&
          roles.includes('sync_standby running') === synchronous_mode &&
          streaming.length === names.length - 1 &&
          synchronous === (synchronous_mode ? 1 : 0)
        );
      },
    );
  const poolers: Pooler[] = [];
  const close = async () => {
    for (const { child } of [{ child: proxy }, ...poolers]) child.kill('SIGKILL');
    await network.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    for (const member of members) member.start();
    await healed();
    await ask(`create role gateway login password 'gateway'`);
    await ask('create table probe (at timestamptz)');
  } catch (thrown) {
    await close();
    throw thrown;
  }
  return {
    members,
    url: urlOf('gateway:gateway', `127.0.0.1:${port}`, 'triglyph'),
    urlOfHosts: urlOf('gateway:gateway', addresses.map((address) => `${address}:5432`).join(','), 'triglyph'),
    async openPooler() {
      const pooler = await startPooler(folder, port, authority.cert);
      poolers.push(pooler);
      const url = `postgres://gateway:gateway@127.0.0.1:${pooler.port}/triglyph`;
      await until('PgBouncer to answer', async () => (await query(url, 'select 1')).length === 1);
      return `${url}?pgbouncer=true`;
    },
    primary: () => memberWith('leader'),
    synchronousStandby: () => memberWith('sync_standby'),
    async configure(changed) {
      // Two members may not change it at once.
      await call('/config', { method: 'PATCH', body: JSON.stringify(changed) }).catch(() => {});
    },
    async switchOver() {
      const [primary, candidate] = [await memberWith('leader'), await memberWith('sync_standby')];
      const parameters = ['--leader', primary.name, '--candidate', candidate.name, '--force'];
      await promisify(execFile)('patronictl', ['-c', join(folder, 'one', 'patroni.yml'), 'switchover', ...parameters]);
    },
    ask,
    async probe() {
      const limits = { connectionTimeoutMillis: 2_000, query_timeout: 4_000 };
      const client = new Client({
        connectionString: urlOf('postgres:replace-me-1', `127.0.0.1:${port}`, 'postgres'),
        ...limits,
      });
      client.on('error', () => {});
      try {
        await client.connect();
        await client.query('insert into probe values (now())');
      } finally {
        client.end().catch(() => {});
        client.connection.stream.destroy();
      }
    },
    healed,
    close,
  };
}

function tail(file: string): string {
  try {
    return readFileSync(file, 'utf8').slice(-3_000);
  } catch {
    return '';
  }
}
