/** The balance platform, version 2: its operations as tables (specification, section 4). */
import { service } from '../../contract/service.ts';
import { conventions } from '../conventions.ts';
import {
  createAccountHolder,
  getAccountHolder,
  listAccountHolders,
  updateAccountHolder,
} from './account-holders/contract.ts';
import {
  createBalanceAccount,
  getBalanceAccount,
  listBalanceAccounts,
  updateBalanceAccount,
} from './balance-accounts/contract.ts';
import { getBalancePlatform } from './balance-platforms/contract.ts';
import {
  cancelPaymentInstrument,
  createPaymentInstrument,
  getPaymentInstrument,
  listPaymentInstruments,
  updatePaymentInstrument,
} from './payment-instruments/contract.ts';
import { platformProblems } from './problems.ts';

const operations = [
  createAccountHolder,
  getAccountHolder,
  updateAccountHolder,
  listBalanceAccounts,
  createBalanceAccount,
  getBalanceAccount,
  updateBalanceAccount,
  listPaymentInstruments,
  getBalancePlatform,
  listAccountHolders,
  createPaymentInstrument,
  getPaymentInstrument,
  updatePaymentInstrument,
  cancelPaymentInstrument,
] as const;

/** The operations by name, for handlers that the compiler counts. */
export type BalancePlatformOperations = { [O in (typeof operations)[number] as O['name']]: O };

export const balancePlatformV2 = service({
  name: 'BalancePlatform',
  address: '/bcl',
  conventions,
  hashPrefix: '',
  problems: platformProblems,
  version: 2,
  answers: { from: 1, to: 2 },
  doc: 'Account holders, their balance accounts, and the cards and bank accounts that these are used with.',
  roles: ['balancePlatform'],
  operations,
});
