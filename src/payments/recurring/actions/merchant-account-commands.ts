/** The commands that add and list merchant accounts. */
import type { ActionCommands } from '../../../backend/index.ts';
import type { merchantAccountOperations } from './merchant-accounts.ts';

export const merchantAccountCommands: ActionCommands<(typeof merchantAccountOperations)[number]> = {
  addMerchantAccount: {
    name: 'credential merchant-account add',
    operands: { company: 'company', code: 'code' },
    example: 'triglyph credential merchant-account add Acme AcmeWeb',
    text: ({ company, code }) => [`${code} belongs to ${company}.`],
  },
  listMerchantAccounts: {
    name: 'credential merchant-account list',
    doc: 'lists the merchant accounts with their companies',
    example: 'triglyph credential merchant-account list',
    json: ({ accounts }) => accounts,
    text: ({ accounts }) => accounts.map(({ company, code }) => `${company}  ${code}`),
  },
};
