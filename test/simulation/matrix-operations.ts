/** What the crash matrix has done: each writing operation, and what is sent for it, in which order and in which formats. */

import type { Expected } from './expected.ts';
import type { Cell, Sending } from './matrix.ts';
import { type Body, mastercard, protocolNamesOf, textOf, visa } from './request-body.ts';
import { firstAccountId, firstHolderId, firstInstrumentId, secondAccountId, secondHolderId } from './resource-body.ts';

export interface Form {
  readonly name: string;
  readonly asks: boolean;
  readonly sendings: readonly Sending[];
  readonly isolation: Cell['isolation'];
}

export interface Work {
  readonly body: Body;
  readonly wrong: Body;
  readonly outcome: Expected['outcome'];
  readonly asks?: boolean;
}

export const works: readonly Work[] = [
  {
    body: { operation: 'storeToken', shopper: 'bert', card: visa, uses: ['ONECLICK', 'RECURRING'] },
    wrong: { operation: 'storeToken', shopper: 'bert', card: mastercard, uses: ['ONECLICK', 'RECURRING'] },
    outcome: 'ok',
  },
  {
    body: { operation: 'disable', shopper: 'anna' },
    wrong: { operation: 'disable', shopper: 'anna', uses: ['RECURRING'] },
    outcome: 'ok',
  },
  {
    body: { operation: 'scheduleAccountUpdater', shopper: 'anna', card: mastercard },
    wrong: { operation: 'scheduleAccountUpdater', shopper: 'anna', card: visa },
    outcome: 'ok',
  },
  {
    body: { operation: 'scheduleAccountUpdater', shopper: 'anna', card: mastercard },
    wrong: { operation: 'scheduleAccountUpdater', shopper: 'anna', card: visa },
    outcome: 'ok',
    asks: true,
  },
  {
    body: { operation: 'disable', shopper: 'bert' },
    wrong: { operation: 'storeToken', shopper: 'bert', card: visa, uses: ['RECURRING'] },
    outcome: 'contractNotFound',
  },
  {
    body: { operation: 'createPaymentInstrument', balanceAccountId: firstAccountId, reference: 'one' },
    wrong: { operation: 'createPaymentInstrument', balanceAccountId: firstAccountId, reference: 'another' },
    outcome: 'ok',
  },
  {
    body: { operation: 'updatePaymentInstrument', id: firstInstrumentId, status: 'active' },
    wrong: { operation: 'updatePaymentInstrument', id: firstInstrumentId, status: 'closed' },
    outcome: 'ok',
  },
  {
    body: { operation: 'updatePaymentInstrument', id: firstInstrumentId, status: 'suspended' },
    wrong: { operation: 'cancelPaymentInstrument', id: firstInstrumentId },
    outcome: 'illegalMove',
  },
  {
    body: { operation: 'cancelPaymentInstrument', id: firstInstrumentId },
    wrong: { operation: 'updatePaymentInstrument', id: firstInstrumentId, status: 'active' },
    outcome: 'ok',
  },
  {
    body: { operation: 'createAccountHolder', reference: 'one' },
    wrong: { operation: 'createAccountHolder', reference: 'another' },
    outcome: 'ok',
  },
  {
    body: { operation: 'updateAccountHolder', id: firstHolderId, description: 'the first', status: 'suspended' },
    wrong: { operation: 'updateAccountHolder', id: firstHolderId, description: 'the first' },
    outcome: 'ok',
  },
  {
    body: { operation: 'updateAccountHolder', id: firstHolderId, status: 'closed' },
    wrong: { operation: 'updateAccountHolder', id: secondHolderId, status: 'closed' },
    outcome: 'holderInUse',
  },
  {
    body: { operation: 'createBalanceAccount', accountHolderId: secondHolderId, reference: 'one' },
    wrong: { operation: 'createBalanceAccount', accountHolderId: firstHolderId, reference: 'one' },
    outcome: 'ok',
  },
  {
    body: { operation: 'updateBalanceAccount', id: secondAccountId, description: 'the last', status: 'closed' },
    wrong: { operation: 'updateBalanceAccount', id: secondAccountId, description: 'the last' },
    outcome: 'ok',
  },
  {
    body: { operation: 'updateBalanceAccount', id: firstAccountId, status: 'inactive' },
    wrong: { operation: 'updateBalanceAccount', id: firstAccountId, status: 'active' },
    outcome: 'illegalMove',
  },
  {
    body: { operation: 'updateBalanceAccount', id: firstAccountId, status: 'closed' },
    wrong: { operation: 'cancelPaymentInstrument', id: firstInstrumentId },
    outcome: 'accountInUse',
  },
];

/** A request; a retry to a server that remembers nothing; a retry to another server; another request under the key. */
export const formsOf = ({ body, wrong, outcome, asks = false }: Work): readonly Form[] => {
  const names = protocolNamesOf(body);
  return names.flatMap((same, index) => {
    const other = names[(index + 1) % names.length]!;
    const order = (retries: readonly [typeof same, typeof same], isolation: Cell['isolation']): Form => ({
      name: `${textOf(body)}${asks ? ' by an updater outside' : ''}: ${same}, then ${retries.join(' and ')}, ${isolation}`,
      isolation,
      asks,
      sendings: [
        { body, protocol: same, at: 'first', outcome },
        { body, protocol: retries[0], at: 'first', cold: true, outcome },
        { body, protocol: retries[1], at: 'second', outcome },
        { body: wrong, protocol: other, at: 'second', outcome: 'keyReused' },
      ],
    });
    return [order([same, other], 'locking'), order([other, same], 'serial')];
  });
};
