/** Stored details: stored (A), disabled (B), and perhaps stored once more (C). */

import type { Operation } from '../../../../src/contract/operation.ts';
import type { Service } from '../../../../src/contract/service.ts';
import { createProtocols } from '../../../../src/formats/index.ts';
import { namedProtocols } from '../../../../src/formats/protocol.ts';
import { services } from '../../../../src/services/index.ts';
import { recurringV25 } from '../../../../src/services/recurring/v25.ts';
import type { KeyUse, Track } from './track.ts';

export const merchantAccount = 'AcmeWeb';

const protocols = createProtocols(services);
const service: Service = recurringV25;
const operation = (name: string): Operation => service.operations.get(name)!;

/** The last four digits, and so what is shown of the card, tell the two apart. */
const numbers = { right: '4111111111111111', other: '5500000000000004' } as const;
export const rightDigits = numbers.right.slice(-4);
export const rightContracts: readonly string[] = ['ONECLICK', 'RECURRING'];

/** The name of the holder says which key a stored detail is the effect of. */
const storing = (key: string): KeyUse => {
  const body = (number: string, contract: readonly string[]): object => ({
    card: { number, expiryMonth: '8', expiryYear: '2040', holderName: key },
    recurring: { contract },
  });
  return {
    operation: operation('storeToken'),
    bodies: {
      right: body(numbers.right, rightContracts),
      'other card': body(numbers.other, rightContracts),
      'other contract': body(numbers.right, ['PAYOUT']),
    },
  };
};

const keys = {
  A: storing('A'),
  B: { operation: operation('disable'), bodies: { right: {}, 'other contract': { contract: ['ONECLICK'] } } },
  C: storing('C'),
} as const satisfies Track['keys'];

export const recurringTrack = Object.freeze({
  role: 'recurring',
  service,
  protocols: namedProtocols.map((name) => protocols[name]),
  keys,
  about: (shopperReference) => ({ merchantAccount, shopperReference }),
  table: 'stored_detail',
  columns: ['shopper_reference', 'disabled_at', 'contracts', 'open_part'],
  ownerOf({ shopper_reference, disabled_at, contracts, open_part }) {
    const { card } = JSON.parse(open_part!);
    if (contracts !== rightContracts.join() || card?.number !== rightDigits) return undefined;
    return { shopper: shopper_reference!, key: disabled_at === null ? card.holderName : 'B' };
  },
} as const satisfies Track);
