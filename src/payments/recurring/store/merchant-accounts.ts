/** The merchant accounts of companies, which credentials of this service name as their grants. */

import { checkTenant, type GrantRule, RegistryError } from '../../../access/index.ts';
import type { Clock } from '../../../core/lib/index.ts';
import { type Engine, type Session, statement } from '../../../stores/index.ts';
import { recurringRoles } from '../roles.ts';
import { merchantAccountGrant } from '../schemas.ts';

interface MerchantAccount {
  readonly company: string;
  readonly code: string;
}

export interface MerchantAccountRegistry {
  /** Adds an account; does nothing where the company has it already. A company exists once it has an account. */
  addMerchantAccount(company: string, code: string): Promise<void>;
  /** Sorted by company and code. */
  listMerchantAccounts(): Promise<readonly MerchantAccount[]>;
  findCompany(merchantAccount: string): Promise<string | undefined>;
}

export const merchantAccountRule: GrantRule = Object.freeze<GrantRule>({
  name: merchantAccountGrant.name,
  noun: 'merchant account',
  option: { flags: '--account <code>', doc: 'a merchant account that it authorizes; repeat it for more' },
  role: 'recurring',
  roles: recurringRoles,
  findTenant: findCompany,
});

const addAccount = statement(
  'add-merchant-account',
  'insert into merchant_account (company, code, created_at) values ($1, $2, $3) on conflict do nothing',
);
const findAccount = statement<{ readonly company: string }>(
  'find-merchant-account',
  'select company from merchant_account where code = $1',
);
const listAccounts = statement<{ readonly company: string; readonly code: string }>(
  'list-merchant-accounts',
  'select company, code from merchant_account order by company, code',
);
const accountPattern = /^[A-Za-z0-9_.-]{1,80}$/;

export function createMerchantAccountRegistry(engine: Engine, clock: Clock): MerchantAccountRegistry {
  return Object.freeze<MerchantAccountRegistry>({
    addMerchantAccount: (company, code) =>
      engine.write((session) => addMerchantAccount(session, company, code, clock.now())),
    listMerchantAccounts: () => engine.read((session) => session.query(listAccounts, [])),
    findCompany: (merchantAccount) => engine.read((session) => findCompany(session, merchantAccount)),
  });
}

async function addMerchantAccount(session: Session, company: string, code: string, now: number): Promise<void> {
  checkTenant(company, 'company');
  if (!accountPattern.test(code))
    throw new RegistryError('a merchant account has 1 to 80 letters, digits, dots, underscores and hyphens');
  await session.execute(addAccount, [company, code, now]);
  if ((await findCompany(session, code)) !== company)
    throw new RegistryError(`merchant account ${code} belongs to another company`);
}

async function findCompany(session: Session, code: string): Promise<string | undefined> {
  return (await session.query(findAccount, [code]))[0]?.company;
}
