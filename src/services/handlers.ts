/** The handlers, one for each operation of the interface. */

import type { Handlers } from '../gateway/handler.ts';
import {
  createAccountHolder,
  getAccountHolder,
  listAccountHolders,
  updateAccountHolder,
} from './balance-platform/account-holders/handlers.ts';
import {
  createBalanceAccount,
  getBalanceAccount,
  listBalanceAccounts,
  updateBalanceAccount,
} from './balance-platform/balance-accounts/handlers.ts';
import { getBalancePlatform } from './balance-platform/balance-platforms/handlers.ts';
import { createPaymentInstrument } from './balance-platform/payment-instruments/create.ts';
import {
  cancelPaymentInstrument,
  getPaymentInstrument,
  listPaymentInstruments,
  updatePaymentInstrument,
} from './balance-platform/payment-instruments/handlers.ts';
import { scheduleAccountUpdater } from './recurring/account-updater/schedule.ts';
import { disable } from './recurring/disable.ts';
import { listRecurringDetails } from './recurring/list-details.ts';
import { storeToken } from './recurring/store-token.ts';
import { tokenLookup } from './recurring/token-lookup.ts';

export const handlers: Handlers = Object.freeze({
  cancelPaymentInstrument,
  createAccountHolder,
  createBalanceAccount,
  createPaymentInstrument,
  disable,
  getAccountHolder,
  getBalanceAccount,
  getBalancePlatform,
  getPaymentInstrument,
  listAccountHolders,
  listBalanceAccounts,
  listPaymentInstruments,
  listRecurringDetails,
  scheduleAccountUpdater,
  storeToken,
  tokenLookup,
  updateAccountHolder,
  updateBalanceAccount,
  updatePaymentInstrument,
});
