/** Lists of payment instruments over few of them and over many: the time of a page, in alternating rounds. */
import { join } from 'node:path';
import type { Caller, CanonicalRequest } from '../../src/core/contract/canonical.ts';
import type { Input, Operation } from '../../src/core/contract/operation.ts';
import { createAccountHolder as holderCall } from '../../src/payments/balance-platform/account-holders/contract.ts';
import { createAccountHolder } from '../../src/payments/balance-platform/account-holders/handlers.ts';
import { createBalanceAccount as accountCall } from '../../src/payments/balance-platform/balance-accounts/contract.ts';
import { createBalanceAccount } from '../../src/payments/balance-platform/balance-accounts/handlers.ts';
import { createPaymentInstrument as instrumentCall } from '../../src/payments/balance-platform/payment-instruments/contract.ts';
import { createPaymentInstrument } from '../../src/payments/balance-platform/payment-instruments/create.ts';
import { balancePlatformV2 } from '../../src/payments/balance-platform/v2.ts';
import { demoPlatform } from '../../src/program/testing/demo/published.ts';
import { openBuiltIn, readConfig } from '../../test/support/services.ts';
import { type Timed, timeInRounds, timeRequest } from './rounds.ts';
import type { Served } from './stores.ts';

const pageMax = 100;
const perTransaction = 500;

const caller: Caller = {
  credential: 'scale',
  tenant: demoPlatform.company,
  roles: new Set(['balancePlatform']),
  grants: new Map([['balancePlatform', new Set([demoPlatform.id])]]),
  partition: demoPlatform.id,
  requiresKey: false,
};

const card = { brand: 'mc', brandVariant: 'mcdebit', formFactor: 'virtual', cardholderName: 'Anna van Dijk' } as const;

/** Creates balance accounts with so many cards each in the demo's store; returns the ids of the accounts. */
export const fillAccounts = async (dataDir: string, counts: readonly number[]): Promise<readonly string[]> => {
  const config = readConfig('demo', { DATA_DIR: dataDir, KEY_FILE: join(dataDir, 'keys') });
  const { store, context, close } = await openBuiltIn(config, { exclusive: true });
  const request = <O extends Operation>(operation: O, input: Input<O>): CanonicalRequest<O> => ({
    operation,
    input,
    caller,
    service: balancePlatformV2,
    requestReference: context.ids.requestReference(),
  });
  try {
    const ids: string[] = [];
    for (const count of counts) {
      const balanceAccountId = await store.write(async (transaction) => {
        const legalEntityId = 'LE322KT223222D5FJ7THR293F';
        const { id } = await createAccountHolder(request(holderCall, { legalEntityId }), transaction, context);
        return (await createBalanceAccount(request(accountCall, { accountHolderId: id }), transaction, context)).id;
      });
      const input = { type: 'card', balanceAccountId, issuingCountryCode: 'NL', card } as const;
      for (let start = 0; start < count; start += perTransaction)
        await store.write(async (transaction) => {
          for (let n = start; n < Math.min(start + perTransaction, count); n += 1)
            await createPaymentInstrument(request(instrumentCall, input), transaction, context);
        });
      ids.push(balanceAccountId);
    }
    return ids;
  } finally {
    await close();
  }
};

/** Reads one page, and returns the milliseconds; throws unless the page is full. */
const ask = ({ callers }: Served, account: string, offset: number, status?: string): Promise<number> => {
  const query = `offset=${offset}&limit=${pageMax}${status === undefined ? '' : `&status=${status}`}`;
  const url = `${callers}/bcl/v2/balanceAccounts/${account}/paymentInstruments?${query}`;
  return timeRequest(url, { headers: { 'X-API-Key': 'demo-platform-key' } }, (text) => {
    const { paymentInstruments } = JSON.parse(text) as { readonly paymentInstruments?: readonly unknown[] };
    return paymentInstruments?.length === pageMax;
  });
};

export interface Pages {
  /** Which pages of the list. */
  readonly pages: 'first' | 'of a status' | 'last';
  readonly instruments: number;
  readonly engine: Served['engine'];
}

/** Measures the first pages, with a status or without, and the last page. */
export const timePages = (
  servers: readonly Served[],
  accounts: readonly { readonly id: string; readonly count: number }[],
): Promise<readonly (Timed & Pages)[]> => {
  const firstPages = () => pageMax * Math.floor(Math.random() * 10);
  return timeInRounds(
    servers.flatMap((served) =>
      accounts.flatMap(({ id, count }) => {
        const target = { instruments: count, engine: served.engine, server: served.server };
        return [
          { ...target, pages: 'first' as const, ask: () => ask(served, id, firstPages()) },
          { ...target, pages: 'of a status' as const, ask: () => ask(served, id, firstPages(), 'active') },
          { ...target, pages: 'last' as const, ask: () => ask(served, id, count - pageMax) },
        ];
      }),
    ),
  );
};
