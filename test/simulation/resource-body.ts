/** What the clients ask of a balance platform: two account holders, two accounts and a card, which stand in each other's way. */

export type Status = 'inactive' | 'active' | 'suspended' | 'closed';

export type HolderBody =
  | { readonly operation: 'createAccountHolder'; readonly reference: string }
  | {
      readonly operation: 'updateAccountHolder';
      readonly id: string;
      readonly description?: string;
      readonly status?: Exclude<Status, 'inactive'>;
    };

export type AccountBody =
  | { readonly operation: 'createBalanceAccount'; readonly accountHolderId: string; readonly reference: string }
  | {
      readonly operation: 'updateBalanceAccount';
      readonly id: string;
      readonly description?: string;
      readonly status?: Status;
    };

export type InstrumentBody =
  | { readonly operation: 'createPaymentInstrument'; readonly balanceAccountId: string; readonly reference: string }
  | { readonly operation: 'updatePaymentInstrument'; readonly id: string; readonly status: Status }
  | { readonly operation: 'cancelPaymentInstrument'; readonly id: string };

export type ResourceBody = HolderBody | AccountBody | InstrumentBody;

export const balancePlatform = 'DemoPlatform';
export const legalEntityId = 'LE1';
/** There at first, and active: the first holder has both accounts, the second one has none. */
export const firstHolderId = 'AHFIRST000000000000000000';
export const secondHolderId = 'AHSECOND00000000000000000';
/** There at first: the first one is active, the second one is not yet, has no card, and is the primary one. */
export const firstAccountId = 'BAFIRST000000000000000000';
export const secondAccountId = 'BASECOND00000000000000000';
/** There at first, with the first account, and inactive. */
export const firstInstrumentId = 'PIFIRST000000000000000000';
export const issuedCard = {
  brand: 'visa',
  brandVariant: 'visadebit',
  cardholderName: 'Anna van Dijk',
  formFactor: 'virtual',
} as const;

/** No description is a status, so no two bodies have one text. */
export const textOfResource = (body: ResourceBody): string => Object.values(body).join(' ');

export const inputOfResource = ({ operation, ...input }: ResourceBody): object => {
  switch (operation) {
    case 'createAccountHolder':
      return { ...input, legalEntityId };
    case 'createPaymentInstrument':
      return { ...input, type: 'card', issuingCountryCode: 'NL', card: issuedCard };
    case 'updateAccountHolder':
    case 'createBalanceAccount':
    case 'updateBalanceAccount':
    case 'updatePaymentInstrument':
    case 'cancelPaymentInstrument':
      return input;
    default:
      return operation satisfies never;
  }
};
