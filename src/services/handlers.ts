/** The handlers, one for each operation of the interface. */

import {
  createAccountHolder,
  getAccountHolder,
  listAccountHolders,
  updateAccountHolder,
} from '../domain/balance-platform/account-holders.ts';
import {
  createBalanceAccount,
  getBalanceAccount,
  listBalanceAccounts,
  updateBalanceAccount,
} from '../domain/balance-platform/balance-accounts.ts';
import { getBalancePlatform } from '../domain/balance-platform/balance-platforms.ts';
import { createPaymentInstrument } from '../domain/balance-platform/create-instrument.ts';
import {
  cancelPaymentInstrument,
  getPaymentInstrument,
  listPaymentInstruments,
  updatePaymentInstrument,
} from '../domain/balance-platform/payment-instruments.ts';
import { disable } from '../domain/recurring/disable.ts';
import { listRecurringDetails } from '../domain/recurring/list-details.ts';
import { scheduleAccountUpdater } from '../domain/recurring/schedule-updater.ts';
import { storeToken } from '../domain/recurring/store-token.ts';
import { tokenLookup } from '../domain/recurring/token-lookup.ts';
import type { Handlers } from '../gateway/handler.ts';

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
