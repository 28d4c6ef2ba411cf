/** What may grow: below a platform, an account holder or a balance account that is not active nothing comes to be or to work. */
import { Problem } from '../../contract/problem.ts';
import type { Kept, Platform, PlatformView } from './resource.ts';

export const checkPlatform = ({ status }: Platform): void => {
  if (status !== 'Active') throw new Problem('platformNotActive');
};

export const checkHolder = ({ record: { status } }: Kept<'accountHolder'>): void => {
  if (status === 'closed') throw new Problem('accountHolderClosed');
  if (status !== 'active') throw new Problem('holderNotActive');
};

/** The account and, above it, its holder. */
export const checkAccount = async (
  { platform, record: { status, accountHolderId } }: Kept<'balanceAccount'>,
  view: PlatformView,
): Promise<void> => {
  if (status === 'closed') throw new Problem('accountClosed');
  if (status !== 'active') throw new Problem('accountNotActive');
  checkHolder(await parentOf('accountHolder', platform, accountHolderId, view));
};

/** What the store keeps a reference to, is there. */
export const parentOf = async <K extends 'accountHolder' | 'balanceAccount'>(
  kind: K,
  platform: string,
  id: string,
  view: PlatformView,
): Promise<Kept<K>> => {
  const parent = await view.findResource(kind, platform, id);
  if (parent === undefined) throw new Error(`${kind} is gone from under what belongs to it`);
  return parent;
};
