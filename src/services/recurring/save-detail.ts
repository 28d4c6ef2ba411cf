/** Keeping a detail for a shopper: the one way in, for a single call and for a whole import. */

import { Problem } from '../../contract/problem.ts';
import type { HandlerContext } from '../../gateway/handler.ts';
import type { ContractType, PublicDetail, SecretDetail, Shopper, ShopperKey, StoredDetail } from './details.ts';
import { type Given, instrumentOf } from './instrument.ts';
import { recurringProblems } from './problems.ts';
import { contractType } from './schemas.ts';
import type { DetailRepository } from './store/repository.ts';

/** As many as the interface lets a shopper have. */
export const detailsMax = 100;

export interface NewDetail extends Given {
  readonly contracts: readonly ContractType[];
  readonly firstPspReference: string;
  readonly shopperEmail?: string | undefined;
  readonly socialSecurityNumber?: string | undefined;
  readonly also: Pick<
    PublicDetail,
    | 'acquirer'
    | 'acquirerAccount'
    | 'additionalData'
    | 'billingAddress'
    | 'name'
    | 'paymentMethodVariant'
    | 'shopperName'
  >;
  /** Given where the detail comes from another installation; made up otherwise. Milliseconds since the epoch. */
  readonly createdAt?: number | undefined;
  readonly recurringDetailReference?: string | undefined;
}

/** All that any of the two allows, in the enumeration's order. */
const union = (a: readonly ContractType[], b: readonly ContractType[]): readonly ContractType[] =>
  contractType.values.filter((each) => a.includes(each) || b.includes(each));

const sealable = (secret: SecretDetail): string | undefined =>
  Object.values(secret).some((each) => each !== undefined) ? JSON.stringify(secret) : undefined;

const twin = (shopper: Shopper | undefined, fingerprint: string, reference: string | undefined) =>
  shopper?.details.find((each) => each.fingerprint === fingerprint || each.recurringDetailReference === reference);

/** What became of a detail that was given. */
export interface SavedDetail {
  readonly detail: StoredDetail;
  readonly kind: 'created' | 'alreadyExisting' | 'updated';
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Without regard to the order of members, which an update by the account updater may change. */
const ordered = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    isObject(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );

/** By what is open of them: nothing is opened for the sake of the difference. */
const isSame = (before: StoredDetail, after: StoredDetail): boolean =>
  before.contracts.join() === after.contracts.join() && ordered(before.open) === ordered(after.open);

/**
 * Keeps the detail, and the shopper with it. A card or account that the shopper already has keeps its reference and
 * its date, gets the new data, and may be used for all that either was stored for. The 101st is refused (801).
 */
export const saveDetail = async (
  key: ShopperKey,
  given: NewDetail,
  details: DetailRepository,
  { clock, ids: references, vault }: HandlerContext,
): Promise<SavedDetail> => {
  const { number, identity, secret, open, variant } = instrumentOf(given, key.company, vault);
  const fingerprint = vault.fingerprint(key.company, identity);
  const shopper = await details.findShopper(key);
  const before = twin(shopper, fingerprint, given.recurringDetailReference);
  if (before === undefined && (shopper?.details.length ?? 0) >= detailsMax)
    throw new Problem(recurringProblems.tooManyDetails);

  const createdAt = before?.createdAt ?? given.createdAt ?? clock.now();
  const recurringDetailReference =
    before?.recurringDetailReference ?? given.recurringDetailReference ?? references.recurringDetailReference();
  const shown = sealable({ ...secret, socialSecurityNumber: given.socialSecurityNumber });
  const detail: StoredDetail = {
    recurringDetailReference,
    createdAt,
    contracts: union(given.contracts, before?.contracts ?? []),
    fingerprint,
    open: {
      ...open,
      ...given.also,
      firstPspReference: before?.open.firstPspReference ?? given.firstPspReference,
      paymentMethodVariant: given.also.paymentMethodVariant ?? variant,
      variant,
    },
    sealed: vault.seal({ company: key.company, record: recurringDetailReference }, { number, shown }),
  };
  await details.saveShopper(key, { createdAt, email: given.shopperEmail });
  await details.saveDetail(key, detail);
  if (before === undefined) return { detail, kind: 'created' };
  return { detail, kind: isSame(before, detail) ? 'alreadyExisting' : 'updated' };
};
