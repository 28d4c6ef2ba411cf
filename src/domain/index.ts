/** The handlers, one for each operation of the interface. */

import type { Handlers } from '../gateway/handler.ts';
import {
  createAccountHolder,
  getAccountHolder,
  listAccountHolders,
  updateAccountHolder,
} from './balance-platform/account-holders.ts';
import {
  createBalanceAccount,
  getBalanceAccount,
  listBalanceAccounts,
  updateBalanceAccount,
} from './balance-platform/balance-accounts.ts';
import { getBalancePlatform } from './balance-platform/balance-platforms.ts';
import { createPaymentInstrument } from './balance-platform/create-instrument.ts';
import {
  cancelPaymentInstrument,
  getPaymentInstrument,
  listPaymentInstruments,
  updatePaymentInstrument,
} from './balance-platform/payment-instruments.ts';
import { disable } from './recurring/disable.ts';
import { listRecurringDetails } from './recurring/list-details.ts';
import { scheduleAccountUpdater } from './recurring/schedule-updater.ts';
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
