/** The merchant accounts that credentials may name. */
import { object, required } from '../../../core/contract/index.ts';
import { acts, operatorProblems, reads, rows, text } from '../../../operators/index.ts';

const refused = [operatorProblems.refusedAction];
const merchantAccount = {
  company: required(text(200, 'Acme'), 'The company that it belongs to.'),
  code: required(text(200, 'AcmeWeb'), 'The merchantAccount of requests.'),
};

export const listMerchantAccounts = reads(
  'listMerchantAccounts',
  'GET /accounts/merchantAccounts',
  'Returns the merchant accounts with their companies.',
  {},
  object('MerchantAccounts', {
    accounts: rows('MerchantAccount', merchantAccount, 'The accounts.', 100_000),
  }),
  refused,
);

export const addMerchantAccount = acts(
  'addMerchantAccount',
  'POST /accounts/merchantAccounts',
  'Adds a merchant account. The first account of a company creates the company.',
  merchantAccount,
  object('AddedMerchantAccount', merchantAccount),
  { audited: ['company', 'code'], problems: refused },
);

export const merchantAccountOperations = [listMerchantAccounts, addMerchantAccount] as const;
