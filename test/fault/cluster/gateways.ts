/** Servers over a cluster, all on one database and with one credential. */
import { join } from 'node:path';
import { triglyph, type Variables } from '../../support/commands.ts';
import type { Cluster } from '../../support/patroni.ts';
import { basic, prepareProduction, type Server, startServer } from '../../support/server.ts';
import { tempFolder } from '../../support/temp-folder.ts';

export interface Gateways {
  readonly authorizations: Authorizations;
  /** Runs the work with two servers that have this URL of the database. */
  with<T>(url: string, work: (origins: readonly string[]) => Promise<T>): Promise<T>;
  discard(): void;
}

/** Authorization headers. */
export interface Authorizations {
  /** Stores cards for AcmeWeb. */
  readonly merchant: string;
  /** Creates account holders of a balance platform. */
  readonly platform: string;
}

/** The database has the tables and the credentials then. */
export async function prepareGateways(cluster: Cluster): Promise<Gateways> {
  const folder = tempFolder();
  await cluster.ask('create database triglyph owner gateway');
  const { variables, credential } = await prepareProduction(folder.path, { DATABASE_URL: cluster.url });
  const run = async (...parameters: string[]): Promise<string> => {
    const { code, stdout, stderr } = await triglyph(['credential', ...parameters], folder.path, variables);
    if (code !== 0) throw new Error(`triglyph ${parameters.join(' ')} ended with ${code}: ${stderr}`);
    return stdout;
  };
  await run('balance-platform', 'add', 'Acme', 'AcmePlatform', '--time-zone', 'Europe/Amsterdam');
  const platform = JSON.parse(await run('add', 'Acme', '--balance-platform', 'AcmePlatform', '--json'));
  return {
    authorizations: {
      merchant: basic(credential.username, credential.secret),
      platform: basic(platform.username, platform.secret),
    },
    async with(url, work) {
      const changed: Variables = { ...variables, DATABASE_URL: url };
      const servers: Server[] = [];
      try {
        for (const name of ['one', 'two'])
          servers.push(await startServer('serve', folder.path, { ...changed, DATA_DIR: join(folder.path, name) }));
        return await work(servers.map(({ callers }) => callers));
      } finally {
        await Promise.all(servers.map((server) => server.kill()));
      }
    },
    discard: () => folder.discard(),
  };
}
