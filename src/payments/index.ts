/** The services that this program serves. */

import type { Service } from '../core/contract/index.ts';
import { servicesOf } from '../core/gateway/index.ts';
import { balancePlatform } from './balance-platform/index.ts';
import { recurring } from './recurring/index.ts';

export const builtInServices = Object.freeze([recurring, balancePlatform] as const);

/** Their contracts in every version that is served; of each service, the newest last. */
export const services: readonly Service[] = Object.freeze(servicesOf(builtInServices));

export { createAccountHolder } from './balance-platform/account-holders/contract.ts';
export { createAccountHolder as insertAccountHolder } from './balance-platform/account-holders/handlers.ts';
export { formatTree, treeOf } from './balance-platform/actions/platform-commands.ts';
export { readResources } from './balance-platform/actions/platform-handlers.ts';
export { createBalanceAccount } from './balance-platform/balance-accounts/contract.ts';
export { createBalanceAccount as insertBalanceAccount } from './balance-platform/balance-accounts/handlers.ts';
export { balancePlatform } from './balance-platform/index.ts';
export { createPaymentInstrument } from './balance-platform/payment-instruments/contract.ts';
export { createPaymentInstrument as insertPaymentInstrument } from './balance-platform/payment-instruments/create.ts';
export { platformRule } from './balance-platform/store/registry.ts';
export { ResourceReader } from './balance-platform/store/repository.ts';
export * from './balance-platform/v2.ts';
export { listRecurringDetails } from './recurring/contract.ts';
export type { ContractType, ShopperKey } from './recurring/details.ts';
export { recurring } from './recurring/index.ts';
export { type NewDetail, saveDetail } from './recurring/save-detail.ts';
export { recurringSettings } from './recurring/settings.ts';
export { merchantAccountRule } from './recurring/store/merchant-accounts.ts';
export { DetailRepository } from './recurring/store/repository.ts';
export { recurringV25 } from './recurring/versions.ts';
