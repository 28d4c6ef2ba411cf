/** Finds the company of a merchant account that an operator names. */
import type { Backend } from '../../backend/backend.ts';
import { recurring } from '../../services/recurring/index.ts';
import { CommandError } from '../command-error.ts';

/** Throws CommandError for an unknown merchant account. */
export async function requireCompany(backend: Backend, merchantAccount: string): Promise<string> {
  const company = await recurring.sharedIn(backend).registry.findCompany(merchantAccount);
  if (company !== undefined) return company;
  throw new CommandError([
    `${merchantAccount}: there is no such merchant account: \`triglyph credential merchant-account list\` prints them`,
  ]);
}
