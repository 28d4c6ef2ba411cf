/** The stored detail that the fault injection follows, and the keys of its requests. */
import type { FaultTrack, KeyUse } from './resource.ts';

export const trackMerchantAccount = 'AcmeWeb';
/** The last four digits distinguish the two. */
const trackNumbers = { right: '4111111111111111', other: '5500000000000004' } as const;
export const trackLastFour = trackNumbers.right.slice(-4);
export const trackContracts: readonly string[] = ['ONECLICK', 'RECURRING'];

/** The name of the holder is the key that a stored detail is the effect of. */
function storing(key: string): KeyUse {
  const body = (number: string, contract: readonly string[]): object => ({
    card: { number, expiryMonth: '8', expiryYear: '2040', holderName: key },
    recurring: { contract },
  });
  return {
    operation: 'storeToken',
    bodies: {
      right: body(trackNumbers.right, trackContracts),
      'other card': body(trackNumbers.other, trackContracts),
      'other contract': body(trackNumbers.right, ['PAYOUT']),
    },
  };
}

/** Each shopper's detail is stored (A), disabled (B), and perhaps stored again (C). */
export const storedDetailTrack: FaultTrack = {
  keys: {
    A: storing('A'),
    B: { operation: 'disable', bodies: { right: {}, 'other contract': { contract: ['ONECLICK'] } } },
    C: storing('C'),
  },
  addressing: (shopperReference) => ({ merchantAccount: trackMerchantAccount, shopperReference }),
  table: 'stored_detail',
  columns: ['shopper_reference', 'disabled_at', 'contracts', 'public_data'],
  ownerOf({ shopper_reference, disabled_at, contracts, public_data }) {
    const { card } = JSON.parse(public_data!);
    if (contracts !== trackContracts.join() || card?.number !== trackLastFour) return undefined;
    return { shopper: shopper_reference!, key: disabled_at === null ? card.holderName : 'B' };
  },
};
