/** Calls the recurring operations in any format and decodes the responses. */
import { expect } from '@jest/globals';
import type { Output } from '../../src/core/contract/operation.ts';
import { createProtocols, type NamedProtocol, namedProtocols } from '../../src/core/formats/wire-formats.ts';
import { services } from '../../src/payments/index.ts';
import type { RecurringOperations } from '../../src/payments/recurring/contract.ts';
import { recurringV25 } from '../../src/payments/recurring/versions.ts';
import { callers } from './fixture.ts';
import type { TestGateway } from './gateway.ts';

export const protocols = createProtocols(services);
export const protocolNames = namedProtocols;

let counted = 0;
/** Returns a new shopperReference. */
export const fresh = (): string => `shopper-of-a-card-${++counted}`;

export const cardOf = (number: string, expiryYear = '2027') => ({
  number,
  expiryMonth: '3',
  expiryYear,
  holderName: 'Anna van Dijk',
});

export const named = (shopperReference: string, selectedRecurringDetailReference: string) => ({
  shopperReference,
  selectedRecurringDetailReference,
});

export const callsOf = (gateway: () => TestGateway) => {
  const ask = async <N extends keyof RecurringOperations>(
    name: NamedProtocol,
    operation: N,
    input: object,
    as: keyof typeof callers = 'demo',
    key?: string,
  ): Promise<Output<RecurringOperations[N]>> => {
    const described = recurringV25.operations.get(operation)!;
    const given = { merchantAccount: as === 'other' ? 'OtherMerchant' : 'DemoMerchant', ...input };
    const { path, contentType, body } = protocols[name].encodeRequest(recurringV25, described, given);
    const headers = { 'content-type': contentType, ...callers[as], ...(key && { 'idempotency-key': key }) };
    const { entry, message } = await gateway().ask({ path, headers, body });
    expect(entry.outcome).toBe('ok');
    return protocols[name].decodeResponse(described, message.body).value as Output<RecurringOperations[N]>;
  };

  return {
    ask,
    /** Returns the reference. */
    store: async (shopperReference: string, number: string, also: object = {}, as: 'demo' | 'other' = 'demo') => {
      const input = { card: cardOf(number), recurring: { contract: ['RECURRING'] }, shopperReference, ...also };
      return (await ask('json', 'storeToken', input, as)).recurringDetailReference;
    },
    list: async (name: NamedProtocol, shopperReference: string, also: object = {}, as: 'demo' | 'other' = 'demo') =>
      (await ask(name, 'listRecurringDetails', { shopperReference, ...also }, as)).details ?? [],
    /** Returns the result. */
    check: async (name: NamedProtocol, input: object, key?: string) =>
      (await ask(name, 'scheduleAccountUpdater', { reference: 'check', ...input }, 'demo', key)).result,
  };
};
