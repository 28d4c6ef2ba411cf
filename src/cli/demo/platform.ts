/** The demo's balance platform: one account holder, two balance accounts and three payment instruments, made by the operations. */

import type { Caller, CanonicalRequest } from '../../contract/canonical.ts';
import type { Input, Operation } from '../../contract/operation.ts';
import type { HandlerContext } from '../../gateway/handler.ts';
import { createAccountHolder as holderCall } from '../../services/balance-platform/account-holders/contract.ts';
import { createAccountHolder } from '../../services/balance-platform/account-holders/handlers.ts';
import { createBalanceAccount as accountCall } from '../../services/balance-platform/balance-accounts/contract.ts';
import { createBalanceAccount } from '../../services/balance-platform/balance-accounts/handlers.ts';
import { createPaymentInstrument as instrumentCall } from '../../services/balance-platform/payment-instruments/contract.ts';
import { createPaymentInstrument } from '../../services/balance-platform/payment-instruments/create.ts';
import { balancePlatformV2 } from '../../services/balance-platform/v2.ts';
import type { Transaction } from '../../store/transaction.ts';
import { demoPlatform } from './published.ts';

const caller: Caller = Object.freeze({
  credential: 'demo',
  company: demoPlatform.company,
  roles: new Set(['balancePlatform']),
  grants: new Map([['balancePlatform', new Set([demoPlatform.id])]]),
  partition: demoPlatform.id,
  requiresKey: false,
});

const holder: Input<typeof holderCall> = {
  legalEntityId: 'LE322KT223222D5FJ7THR293F',
  reference: 'demo-holder',
  description: 'A shop in Amsterdam',
  capabilities: { issueCard: { requested: true, requestedLevel: 'high' }, receivePayments: { requested: true } },
};

const cardholderName = 'Anna van Dijk';

/** On the first balance account, two cards; on the second, a bank account. */
export const seedPlatform = async (tx: Transaction, world: HandlerContext): Promise<void> => {
  const request = <O extends Operation>(operation: O, input: Input<O>): CanonicalRequest<O> => ({
    service: balancePlatformV2,
    operation,
    input,
    caller,
    pspReference: world.ids.pspReference(),
  });
  const { id: accountHolderId } = await createAccountHolder(request(holderCall, holder), tx, world);
  const account = async (reference: string) =>
    (await createBalanceAccount(request(accountCall, { accountHolderId, reference }), tx, world)).id;
  const [daily, savings] = [await account('daily'), await account('savings')];
  const instruments: readonly Input<typeof instrumentCall>[] = [
    {
      type: 'card',
      balanceAccountId: daily,
      issuingCountryCode: 'NL',
      reference: 'online',
      card: { brand: 'visa', brandVariant: 'visadebit', formFactor: 'virtual', cardholderName },
    },
    {
      type: 'card',
      balanceAccountId: daily,
      issuingCountryCode: 'NL',
      reference: 'in the post',
      status: 'inactive',
      card: { brand: 'mc', brandVariant: 'mcdebit', formFactor: 'physical', cardholderName },
    },
    { type: 'bankAccount', balanceAccountId: savings, issuingCountryCode: 'NL', reference: 'to be paid to' },
  ];
  for (const each of instruments) await createPaymentInstrument(request(instrumentCall, each), tx, world);
};
