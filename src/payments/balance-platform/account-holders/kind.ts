/** The kind of account holders; their parent is the platform. */
import { resourceKind } from '../resource.ts';
import { type AccountHolder, holderTransitions } from './contract.ts';

export const accountHolders = resourceKind<AccountHolder>({
  name: 'accountHolder',
  lifecycle: holderTransitions,
  table: 'account_holder',
  sealedPayload: true,
});
