/** The balance platform with its handlers. */
import { type Implementation, implement } from '../../gateway/implement.ts';
import {
  createAccountHolder,
  getAccountHolder,
  listAccountHolders,
  updateAccountHolder,
} from './account-holders/handlers.ts';
import {
  createBalanceAccount,
  getBalanceAccount,
  listBalanceAccounts,
  updateBalanceAccount,
} from './balance-accounts/handlers.ts';
import { getBalancePlatform } from './balance-platforms/handlers.ts';
import { createPaymentInstrument } from './payment-instruments/create.ts';
import {
  cancelPaymentInstrument,
  getPaymentInstrument,
  listPaymentInstruments,
  updatePaymentInstrument,
} from './payment-instruments/handlers.ts';
import { balancePlatformV2 } from './v2.ts';

export function implementBalancePlatform(): Implementation {
  return implement(balancePlatformV2, {
    cancelPaymentInstrument,
    createAccountHolder,
    createBalanceAccount,
    createPaymentInstrument,
    getAccountHolder,
    getBalanceAccount,
    getBalancePlatform,
    getPaymentInstrument,
    listAccountHolders,
    listBalanceAccounts,
    listPaymentInstruments,
    updateAccountHolder,
    updateBalanceAccount,
    updatePaymentInstrument,
  });
}
