/** Places the files of deploy/cluster on the machines of a test: other addresses, folders and certificates, nothing else. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { CertificateFiles } from './certificates.ts';
import { freePort } from './listen-locally.ts';
import { programs, runner } from './postgres-instance.ts';

export type Settings = Readonly<Record<string, number | boolean>>;

export interface Placed {
  readonly name: string;
  /** The folder of the machine. */
  readonly home: string;
  /** That of the network, in place of the example's. */
  readonly prefix: string;
  readonly address: string;
  readonly certificate: CertificateFiles;
  /** Replace those of the example. */
  readonly settings: Settings;
}

/** The address of machine one in the examples. */
const exampleAddress = '192.0.2.11';

export function etcdVariables({ name, home, prefix, address }: Placed): Readonly<Record<string, string>> {
  const variables: Record<string, string> = {};
  for (const line of example('etcd.environment', prefix).split('\n')) {
    const [, key, value] = /^(ETCD_[A-Z0-9_]+)=(.*)$/.exec(line) ?? [];
    // The list of all members stays as it is.
    if (key !== undefined && value !== undefined)
      variables[key] = key === 'ETCD_INITIAL_CLUSTER' ? value : value.replaceAll(`${prefix}11`, address);
  }
  return { ...variables, ETCD_NAME: name, ETCD_DATA_DIR: join(home, 'etcd') };
}

/** Writes the file, and returns its path. */
export function patroniFile({ name, home, prefix, address, certificate, settings }: Placed): string {
  const { restapi, bootstrap, postgresql, ...rest } = parse(example('patroni.yml', prefix));
  const own = (listen: string) => listen.replace(`${prefix}11`, address);
  const written = {
    ...rest,
    name,
    restapi: { listen: own(restapi.listen), connect_address: own(restapi.connect_address) },
    bootstrap: { ...bootstrap, dcs: { ...bootstrap.dcs, ...settings } },
    postgresql: {
      ...postgresql,
      listen: own(postgresql.listen),
      connect_address: own(postgresql.connect_address),
      data_dir: join(home, 'data'),
      bin_dir: programs(),
      pgpass: join(home, 'pgpass'),
      parameters: {
        ...postgresql.parameters,
        unix_socket_directories: home,
        ssl_cert_file: certificate.cert,
        ssl_key_file: certificate.key,
      },
    },
  };
  const file = join(home, 'patroni.yml');
  writeFileSync(file, stringify(written));
  giveToServer(file);
  return file;
}

/** Starts HAProxy with the example on this port. */
export async function startDatabaseProxy(folder: string, prefix: string, port: number): Promise<ChildProcess> {
  const file = join(folder, 'haproxy.cfg');
  const text = example('haproxy.cfg', prefix).replaceAll('127.0.0.1:6432', `127.0.0.1:${port}`);
  writeFileSync(file, text);
  const child = spawn('haproxy', ['-db', '-q', '-f', file], { stdio: 'ignore' });
  process.once('exit', () => child.kill('SIGKILL'));
  return child;
}

/** Starts PgBouncer with the example, in front of HAProxy; returns its port. */
export async function startPooler(folder: string, proxyPort: number, authorityFile: string): Promise<Pooler> {
  const port = await freePort();
  const [users, file] = [join(folder, 'userlist.txt'), join(folder, 'pgbouncer.ini')];
  writeFileSync(users, '"gateway" "gateway"\n');
  const text = example('pgbouncer.ini', '')
    .replace('port=6432', `port=${proxyPort}`)
    .replace('listen_port = 6433', `listen_port = ${port}`)
    .replace('/etc/pgbouncer/userlist.txt', users)
    .replace('/etc/triglyph/database-ca.pem', authorityFile);
  writeFileSync(file, text);
  giveToServer(users, file);
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
  const child = spawn('pgbouncer', ['--quiet', file], { ...runner(), cwd: folder, env, stdio: 'ignore' });
  process.once('exit', () => child.kill('SIGKILL'));
  return { port, child };
}

export interface Pooler {
  readonly port: number;
  readonly child: ChildProcess;
}

/** Makes the user of PostgreSQL their owner. */
export function giveToServer(...paths: readonly string[]): void {
  const { uid, gid } = runner();
  if (uid !== undefined && gid !== undefined) for (const path of paths) chownSync(path, uid, gid);
}

function example(name: string, prefix: string): string {
  const text = readFileSync(join(import.meta.dirname, '../../deploy/cluster', name), 'utf8');
  if (name !== 'pgbouncer.ini' && !text.includes(exampleAddress))
    throw new Error(`${name} does not name ${exampleAddress}`);
  return text.replaceAll('192.0.2.', prefix);
}
