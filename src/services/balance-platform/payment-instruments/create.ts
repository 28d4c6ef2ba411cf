/** createPaymentInstrument: a card or a bank account is made for a balance account, perhaps in the place of another. */

import type { Input } from '../../../contract/operation.ts';
import { type Issue, throwIssues } from '../../../contract/problem.ts';
import type { HandlerContext } from '../../../gateway/handler.ts';
import { withEvents } from '../events.ts';
import { invalid, missing } from '../field-issues.ts';
import { requireActiveAccount, requireActivePlatform } from '../require-active.ts';
import type { Records, StoredResource } from '../resource.ts';
import { createWithNumber, eTagOf } from '../save-resource.ts';
import { reasonIssues } from '../status-reason.ts';
import type { ResourceRepository } from '../store/repository.ts';
import { findForTenant, requireTenantPlatform } from '../tenancy.ts';
import type { BalancePlatformOperations } from '../v2.ts';
import { createAccount } from './bank-account.ts';
import { isAccountCountry } from './bank-identification.ts';
import { type CreatedCard, createCard, variantIssues } from './card.ts';
import { checkReplaceable, settleReplacement } from './replacement.ts';
import { openRecord, sealAccount, sealCard } from './secrets.ts';

type Info = Input<BalancePlatformOperations['createPaymentInstrument']>;
type Status = Records['paymentInstrument']['status'];

/** A number that is taken is drawn again; of a thousand million, so many in a row are not. */
const drawsMax = 20;

/** What is asked for has to be there, and what is not of its type must not. */
const typeIssues = ({ type, card, issuingCountryCode }: Info): readonly Issue[] => {
  if (type === 'card') return card === undefined ? [missing(['card'])] : variantIssues(card);
  const misplaced = card === undefined ? [] : [invalid(['card'])];
  return isAccountCountry(issuingCountryCode)
    ? misplaced
    : [...misplaced, invalid(['issuingCountryCode'], issuingCountryCode)];
};

const statusIssues = ({ status }: Info): readonly Issue[] =>
  status === 'closed' || status === 'suspended' ? [invalid(['status'], status)] : [];

/** As requested; else a physical card of the United States waits to be activated, and all else is active. */
const firstStatus = ({ status, card, issuingCountryCode }: Info): Status =>
  status ?? (card?.formFactor === 'physical' && issuingCountryCode === 'US' ? 'inactive' : 'active');

interface Made {
  readonly kept: StoredResource<'paymentInstrument'>;
  readonly issued?: CreatedCard['issued'];
}

/** One try: undefined where the number was given out before. */
const make = async (
  info: Info,
  platform: string,
  world: HandlerContext,
  resources: ResourceRepository,
): Promise<Made | undefined> => {
  const { ids: references, vault } = world;
  const { card: cardInfo, bankAccount, ...rest } = info;
  const open = { ...rest, id: references.resourceId('PI'), status: firstStatus(info) };
  const kind = 'paymentInstrument' as const;
  if (cardInfo !== undefined) {
    const { issued, card } = createCard(cardInfo, world);
    const record = { ...open, card };
    const kept = await createWithNumber(
      { kind, platform, record, ...sealCard(platform, open.id, issued, vault) },
      resources,
    );
    return kept && { kept, issued };
  }
  const { issuingCountryCode: country } = info;
  if (!isAccountCountry(country)) throw new TypeError(`no accounts are issued in ${country}`);
  const made = createAccount(country, bankAccount?.formFactor ?? 'physical', references);
  const record = { ...open, bankAccount: made.bankAccount };
  const kept = await createWithNumber(
    { kind, platform, record, ...sealAccount(platform, open.id, made, vault) },
    resources,
  );
  return kept && { kept };
};

const draw = async (
  info: Info,
  platform: string,
  world: HandlerContext,
  resources: ResourceRepository,
): Promise<Made> => {
  for (let draws = 0; draws < drawsMax; draws += 1) {
    const made = await make(info, platform, world, resources);
    if (made !== undefined) return made;
  }
  throw new Error('no number is left that was not given out before');
};

/** A virtual card for a single use is shown once, whole: its holder has nothing else to read it from. */
const shownOnce = ({ kept, issued }: Made, world: HandlerContext) => {
  const record = openRecord(kept, world);
  const { card } = record;
  if (issued === undefined || card?.formFactor !== 'virtual' || card.usage !== 'singleUse') return record;
  return { ...record, card: { ...card, number: issued.number, cvc: issued.cvc } };
};

export const createPaymentInstrument = withEvents<BalancePlatformOperations['createPaymentInstrument']>(
  async ({ input, caller }, resources, world) => {
    throwIssues([...typeIssues(input), ...statusIssues(input), ...reasonIssues(input)]);
    const platform = await requireTenantPlatform(caller, resources, undefined);
    requireActivePlatform(platform);
    await requireActiveAccount(
      await findForTenant('balanceAccount', input.balanceAccountId, caller, resources),
      resources,
    );
    if (input.replacementOfId !== undefined)
      await checkReplaceable(
        await findForTenant('paymentInstrument', input.replacementOfId, caller, resources),
        input.type,
        resources,
      );
    const made = await draw(input, platform.id, world, resources);
    await settleReplacement(made.kept, resources);
    return { ...shownOnce(made, world), eTag: eTagOf(made.kept) };
  },
);
