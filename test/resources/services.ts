/** What the simulation and the fault injection know of each service that they serve. */

import type { Grants } from '../../src/access/credentials/credential-rules.ts';
import type { Backend } from '../../src/backend/backend.ts';
import type { GatewayService } from '../../src/backend/define-service.ts';
import type { Service } from '../../src/core/contract/service.ts';
import { accountHolders } from '../../src/payments/balance-platform/account-holders/kind.ts';
import { balanceAccounts } from '../../src/payments/balance-platform/balance-accounts/kind.ts';
import { balancePlatform } from '../../src/payments/balance-platform/index.ts';
import { ResourceRepository } from '../../src/payments/balance-platform/store/repository.ts';
import { recurring } from '../../src/payments/recurring/index.ts';
import { company } from '../simulation/request.ts';
import { platformResources } from './index.ts';
import { balancePlatform as simulatedPlatform, timeZone } from './platform.ts';
import { trackAccounts, trackHolder, trackPlatform } from './platform-track.ts';
import type { TestResource } from './resource.ts';
import { vouchers } from './served.ts';
import { storedDetail } from './stored-detail.ts';
import { merchantAccount } from './stored-detail-model.ts';
import { trackMerchantAccount } from './stored-detail-track.ts';
import { shop, voucher } from './voucher.ts';

export interface TestService {
  readonly service: GatewayService;
  /** It may call every operation of the service. */
  readonly role: string;
  readonly resources: readonly TestResource[];
  /** In the simulation: what its credential may name, what its keys are confined to, and the rows that are there first. */
  readonly simulated: { readonly grants: Grants; readonly partition?: string; readonly rows: readonly string[] };
  /** In the fault injection: stores what its requests name, and returns the grants of its credential. */
  prepare(backend: Backend, tenant: string): Promise<Grants>;
}

const platformCommon = { platform: trackPlatform, revision: 1 } as const;
const platformOpen = { status: 'active', timeZone: 'UTC' } as const;

/** Their tables in this order: parents come first. */
export const testServices: readonly TestService[] = Object.freeze<TestService[]>([
  {
    service: recurring,
    role: 'recurring',
    resources: [storedDetail],
    simulated: {
      grants: { merchantAccount: [merchantAccount] },
      rows: [`insert into merchant_account (company, code, created_at) values ('${company}', '${merchantAccount}', 0)`],
    },
    async prepare(backend, tenant) {
      await recurring.sharedIn(backend).registry.addMerchantAccount(tenant, trackMerchantAccount);
      return { merchantAccount: [trackMerchantAccount] };
    },
  },
  {
    service: balancePlatform,
    role: 'balancePlatform',
    resources: platformResources,
    simulated: {
      grants: { balancePlatform: [simulatedPlatform] },
      partition: simulatedPlatform,
      rows: [
        `insert into balance_platform values ('${simulatedPlatform}', '${company}', null, 'Active', '${timeZone}', 0, null)`,
      ],
    },
    /** Also stores an account holder, and the balance accounts that cards are created for. */
    async prepare(backend, tenant) {
      const registered = {
        id: trackPlatform,
        company: tenant,
        description: '',
        status: 'Active',
        timeZone: 'UTC',
      } as const;
      await balancePlatform.sharedIn(backend).registry.saveBalancePlatform(registered);
      await backend.store.write(async (transaction) => {
        const repository = transaction.repository(ResourceRepository);
        const holder = { id: trackHolder, balancePlatform: trackPlatform, legalEntityId: 'LE1', ...platformOpen };
        const record = { ...holder, primaryBalanceAccount: trackAccounts.right };
        await repository.addResource({ kind: accountHolders, ...platformCommon, record });
        for (const id of Object.values(trackAccounts)) {
          const account = {
            id,
            accountHolderId: trackHolder,
            balances: [],
            defaultCurrencyCode: 'EUR',
            ...platformOpen,
          };
          await repository.addResource({ kind: balanceAccounts, ...platformCommon, record: account });
        }
      });
      return { balancePlatform: [trackPlatform] };
    },
  },
  {
    service: vouchers,
    role: 'vouchers',
    resources: [voucher],
    simulated: { grants: { shop: [shop] }, rows: [] },
    prepare: async () => ({ shop: [shop] }),
  },
]);

export const resources: readonly TestResource[] = testServices.flatMap((each) => each.resources);

/** The one that serves the contract, in any version. */
export function testServiceOf(contract: Service): TestService {
  const found = testServices.find(({ service: { service, olderVersions } }) =>
    [...olderVersions, service].includes(contract),
  );
  if (found === undefined) throw new Error(`no test service has ${contract.name}`);
  return found;
}
