/** The balance platforms of companies, which credentials of this service name as their grant. */

import { checkTenant, type GrantRule, RegistryError } from '../../../access/index.ts';
import { isTimeZone } from '../../../core/contract/index.ts';
import type { Clock } from '../../../core/lib/index.ts';
import { type Engine, type RowIntegrity, type Session, signRow, verifyRow } from '../../../stores/index.ts';
import type { Platform } from '../balance-platforms/contract.ts';
import { platformRoles } from '../roles.ts';
import { platformGrant } from '../tenancy.ts';
import { platformOf } from './repository.ts';
import * as sql from './statements.ts';
import { balancePlatforms } from './tables.ts';

export interface PlatformRegistry {
  /** Adds the balance platform, or changes it for the same company. */
  saveBalancePlatform(platform: Platform): Promise<void>;
  /** By company and name. */
  listBalancePlatforms(): Promise<readonly Platform[]>;
}

export const platformRule: GrantRule = Object.freeze<GrantRule>({
  name: platformGrant,
  noun: 'balance platform',
  option: { flags: '--balance-platform <code>', doc: 'the balance platform that it authorizes' },
  role: 'balancePlatform',
  roles: platformRoles,
  confined: { realm: 'BalancePlatform' },
  findTenant: findPlatformCompany,
});

export function createPlatformRegistry(engine: Engine, clock: Clock, integrity?: RowIntegrity): PlatformRegistry {
  return Object.freeze<PlatformRegistry>({
    saveBalancePlatform: (platform) =>
      engine.write((session) => savePlatform(session, platform, clock.now(), integrity)),
    listBalancePlatforms: () =>
      engine.read(async (session) =>
        (await session.query(sql.listPlatforms, [])).map((row) =>
          platformOf(verifyRow(integrity, balancePlatforms, row)),
        ),
      ),
  });
}

const platformPattern = /^[A-Za-z0-9_-]{1,80}$/;

async function findPlatformCompany(session: Session, platform: string): Promise<string | undefined> {
  return (await session.query(sql.findPlatform, [platform]))[0]?.company;
}

async function savePlatform(
  session: Session,
  platform: Platform,
  now: number,
  integrity: RowIntegrity | undefined,
): Promise<void> {
  const { id, company, description, status, timeZone } = platform;
  checkTenant(company, 'company');
  if (!platformPattern.test(id))
    throw new RegistryError('a balance platform has 1 to 80 letters, digits, underscores and hyphens');
  if (!isTimeZone(timeZone)) throw new RegistryError(`${timeZone} is no name of the IANA time zone database`);
  const row = { balance_platform: id, company, description: description ?? null, status, time_zone: timeZone };
  const mac = signRow(integrity, balancePlatforms, row);
  const written = await session.execute(sql.savePlatform, [...Object.values(row), now, mac]);
  if (written === 0) throw new RegistryError(`balance platform ${id} belongs to another company`);
}
