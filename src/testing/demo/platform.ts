/** Creates the sample resources of the demo through the handlers: an account holder, two balance accounts, three instruments. */
import type { Caller, CanonicalRequest } from '../../contract/canonical.ts';
import type { Input, Operation } from '../../contract/operation.ts';
import type { HandlerContext } from '../../gateway/handler.ts';
import { createAccountHolder as holderOperation } from '../../services/balance-platform/account-holders/contract.ts';
import { createAccountHolder } from '../../services/balance-platform/account-holders/handlers.ts';
import { createBalanceAccount as accountOperation } from '../../services/balance-platform/balance-accounts/contract.ts';
import { createBalanceAccount } from '../../services/balance-platform/balance-accounts/handlers.ts';
import { createPaymentInstrument as instrumentOperation } from '../../services/balance-platform/payment-instruments/contract.ts';
import { createPaymentInstrument } from '../../services/balance-platform/payment-instruments/create.ts';
import { balancePlatformV2 } from '../../services/balance-platform/v2.ts';
import type { Transaction } from '../../store/transaction.ts';
import { demoPlatform } from './published.ts';

const caller: Caller = Object.freeze({
  credential: 'demo',
  tenant: demoPlatform.company,
  roles: new Set(['balancePlatform']),
  grants: new Map([['balancePlatform', new Set([demoPlatform.id])]]),
  partition: demoPlatform.id,
  requiresKey: false,
});

const holder: Input<typeof holderOperation> = {
  legalEntityId: 'LE322KT223222D5FJ7THR293F',
  reference: 'demo-holder',
  description: 'A shop in Amsterdam',
  capabilities: { issueCard: { requested: true, requestedLevel: 'high' }, receivePayments: { requested: true } },
};

const cardholderName = 'Anna van Dijk';

/** The first balance account gets two cards, the second one a bank account. */
export async function seedPlatform(tx: Transaction, context: HandlerContext): Promise<void> {
  const request = <O extends Operation>(operation: O, input: Input<O>): CanonicalRequest<O> => ({
    service: balancePlatformV2,
    operation,
    input,
    caller,
    requestReference: context.ids.requestReference(),
  });
  const { id: accountHolderId } = await createAccountHolder(request(holderOperation, holder), tx, context);
  const account = async (reference: string) =>
    (await createBalanceAccount(request(accountOperation, { accountHolderId, reference }), tx, context)).id;
  const [daily, savings] = [await account('daily'), await account('savings')];
  const instruments: readonly Input<typeof instrumentOperation>[] = [
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
  for (const each of instruments) await createPaymentInstrument(request(instrumentOperation, each), tx, context);
}
