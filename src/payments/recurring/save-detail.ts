/** Saves a detail of a shopper, for storeToken and for imports. */

import { Problem } from '../../core/contract/index.ts';
import type { HandlerContext } from '../../core/gateway/index.ts';
import { isMembers } from '../../core/lib/index.ts';
import type { ContractType, PublicDetail, PublicPart, SecretDetail, ShopperKey, StoredDetail } from './details.ts';
import { type InstrumentInput, instrumentOf } from './instrument.ts';
import { matchInstrument } from './match-instrument.ts';
import { recurringProblems } from './problems.ts';
import { contractType } from './schemas.ts';
import type { DetailRepository, SameDetail } from './store/repository.ts';

/** The most active details of a shopper. */
export const detailsMax = 100;

export interface NewDetail extends InstrumentInput {
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
  /** Present where the detail comes from another installation. Milliseconds since the epoch. */
  readonly createdAt?: number | undefined;
  readonly recurringDetailReference?: string | undefined;
}

export interface SavedDetail {
  readonly detail: StoredDetail;
  readonly kind: 'created' | 'alreadyExisting' | 'updated';
}

/**
 * Saves the detail, and the shopper with it. A card or account that the shopper already has keeps its reference and its date;
 * it gets the new data, and the uses of both. The 101st detail is refused (801).
 */
export async function saveDetail(
  key: ShopperKey,
  input: NewDetail,
  repository: DetailRepository,
  { clock, ids, vault }: HandlerContext,
): Promise<SavedDetail> {
  const { number, identity, secret, publicData, variant } = instrumentOf(input, key.company, vault);
  const fingerprints = vault.fingerprints(key.company, identity);
  const [fingerprint = ''] = fingerprints;
  const now = input.createdAt ?? clock.now();
  const isNew = await repository.addShopper(key, { createdAt: now, email: input.shopperEmail });
  const { recurringDetailReference: given } = input;
  const match = matchInstrument(input, key.company, vault, publicData.alias);
  const same = { recurringDetailReference: given, match };
  const { active, same: before } = isNew ? { active: 0 } : await findSame(repository, key, fingerprints, same);
  if (before === undefined && active >= detailsMax) throw new Problem(recurringProblems.tooManyDetails);

  const createdAt = before?.createdAt ?? now;
  const recurringDetailReference = before?.recurringDetailReference ?? given ?? ids.reference();
  const payload = secretText({ ...secret, socialSecurityNumber: input.socialSecurityNumber });
  const detail: StoredDetail = {
    recurringDetailReference,
    createdAt,
    contracts: union(input.contracts, before?.contracts ?? []),
    fingerprint,
    publicData: {
      ...publicData,
      ...input.also,
      firstPspReference: before?.publicData.firstPspReference ?? input.firstPspReference,
      paymentMethodVariant: input.also.paymentMethodVariant ?? variant,
      variant,
    },
    sealed: vault.seal({ tenant: key.company, record: recurringDetailReference }, { number, payload }),
  };
  if (!isNew && input.shopperEmail !== undefined)
    await repository.saveShopper(key, { createdAt, email: input.shopperEmail });
  await repository.saveDetail(key, detail, {
    isSame: before?.fingerprint === fingerprint,
    mayBeTaken: before === undefined && given !== undefined,
  });
  if (before === undefined) return { detail, kind: 'created' };
  return { detail, kind: isSame(before, detail) ? 'alreadyExisting' : 'updated' };
}

/** Searches under each index key: during a rotation there are two. */
async function findSame(
  repository: DetailRepository,
  key: ShopperKey,
  fingerprints: readonly string[],
  same: Omit<SameDetail, 'fingerprint'>,
): ReturnType<DetailRepository['findSame']> {
  const [fingerprint = '', ...others] = fingerprints;
  const found = await repository.findSame(key, { ...same, fingerprint });
  if (found.same !== undefined || others.length === 0) return found;
  return await findSame(repository, key, others, same);
}

function secretText(secret: SecretDetail): string | undefined {
  return Object.values(secret).some((each) => each !== undefined) ? JSON.stringify(secret) : undefined;
}

/** The uses of both, in the order of the enumeration. */
function union(a: readonly ContractType[], b: readonly ContractType[]): readonly ContractType[] {
  return contractType.values.filter((each) => a.includes(each) || b.includes(each));
}

/** Compares the public parts only, so that nothing sealed is read or opened for this. */
function isSame(before: PublicPart, after: PublicPart): boolean {
  return before.contracts.join() === after.contracts.join() && hasSameContent(before.publicData, after.publicData);
}

/** The account updater may change the order of members, but seldom does: sorting them costs more than all the rest. */
function hasSameContent(a: PublicDetail, b: PublicDetail): boolean {
  return JSON.stringify(a) === JSON.stringify(b) || sortedJson(a) === sortedJson(b);
}

function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    isMembers(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}
