/** Several hosts in the URL: the standby at another address takes the place of a killed primary, under load. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type Postgres, type Standby, startPostgres } from '../support/postgres.ts';
import {
  closeSite,
  expectAllLost,
  expectNothingLost,
  failOverUnderLoad,
  openSite,
  type Survived,
  tryToStore,
} from './site.ts';

let postgres: Postgres;
let url: string;
beforeEach(async () => {
  postgres = await startPostgres();
  url = await postgres.createMigratedDatabase();
});
afterEach(() => postgres?.discard());

/** The standby comes first, so that each server passes it over before the failover. */
function withBoth({ port }: Standby): string {
  return `${url.replace(`@127.0.0.1:${postgres.port}`, `@127.0.0.1:${port},127.0.0.1:${postgres.port}`)}?target_session_attrs=read-write`;
}

function atStandby({ port }: Standby): string {
  return url.replace(`:${postgres.port}/`, `:${port}/`);
}

async function survive(options: { readonly synchronous: boolean }): Promise<Survived> {
  const standby = await postgres.addStandby(options);
  const site = await openSite({ servers: 2, variables: { DATABASE_URL: withBoth(standby) } });
  try {
    if (!options.synchronous) await standby.cutOff();
    return await failOverUnderLoad(site, {
      failOver: () => standby.takeOver(),
      countDetails: async () => {
        const [row] = await postgres.ask('select count(*) as count from stored_detail', [], atStandby(standby));
        return Number(row?.count);
      },
    });
  } finally {
    await closeSite(site);
  }
}

describe('a failover to another host under load', () => {
  test('with synchronous replication loses and doubles nothing', async () =>
    expectNothingLost(await survive({ synchronous: true })));
  test('control: to a standby that was behind it loses every answer', async () =>
    expectAllLost(await survive({ synchronous: false })));
  test('control: a server that knows one host does not recover', async () => {
    const standby = await postgres.addStandby({ synchronous: true });
    const site = await openSite({ servers: 1, variables: { DATABASE_URL: url } });
    try {
      expect(await tryToStore(site, randomUUID(), 0)).toMatchObject({ status: 200 });
      await standby.takeOver();
      for (let time = 0; time < 5; time += 1) expect(await tryToStore(site, randomUUID(), 0)).toBeUndefined();
    } finally {
      await closeSite(site);
    }
  });
});
