/** The kind of account holders; their parent is the platform. */
import { resourceKind } from '../resource.ts';
import type { AccountHolder } from './contract.ts';

export const accountHolders = resourceKind<AccountHolder>({
  name: 'accountHolder',
  lifecycle: {
    active: ['suspended', 'closed'],
    suspended: ['active', 'closed'],
    closed: [],
  },
  table: 'account_holder',
  sealedPayload: true,
});
