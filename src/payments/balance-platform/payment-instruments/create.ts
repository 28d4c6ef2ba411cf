/** createPaymentInstrument: creates a card or a bank account for a balance account, also as a replacement. */

import { type Input, type Issue, throwIssues } from '../../../core/contract/index.ts';
import type { HandlerContext } from '../../../core/gateway/index.ts';
import { balanceAccounts } from '../balance-accounts/kind.ts';
import { withEvents } from '../events.ts';
import { invalid, missing } from '../problems.ts';
import { requireActiveAccount, requireActivePlatform } from '../require-active.ts';
import type { StoredResource } from '../resource.ts';
import { createWithNumber, eTagOf } from '../save-resource.ts';
import { reasonIssues } from '../status-reason.ts';
import type { ResourceRepository } from '../store/repository.ts';
import { findForTenant, requireTenantPlatform } from '../tenancy.ts';
import { createAccount, isAccountCountry } from './bank-identification.ts';
import { type CreatedCard, createCard, variantIssues } from './card.ts';
import type * as contract from './contract.ts';
import { paymentInstruments } from './kind.ts';
import { checkReplaceable, updateReplaced } from './replacement.ts';
import { openRecord, sealAccount, sealCard } from './secrets.ts';

type Info = Input<typeof contract.createPaymentInstrument>;
type Status = contract.PaymentInstrument['status'];

interface CreatedInstrument {
  readonly instrument: StoredResource<contract.PaymentInstrument>;
  readonly issued?: CreatedCard['issued'];
}

/** With a thousand million numbers in a range, so many draws in a row are never all taken. */
const drawsMax = 20;

export const createPaymentInstrument = withEvents<typeof contract.createPaymentInstrument>(
  async ({ input, caller }, resources, context) => {
    throwIssues([...typeIssues(input), ...reasonIssues(input)]);
    const platform = await requireTenantPlatform(caller, resources, undefined);
    requireActivePlatform(platform);
    const account = await findForTenant(balanceAccounts, input.balanceAccountId, caller, resources);
    await requireActiveAccount(account, resources);
    if (input.replacementOfId !== undefined) {
      const old = await findForTenant(paymentInstruments, input.replacementOfId, caller, resources);
      await checkReplaceable(old, input.type, resources);
    }
    const created = await createWithNewNumber(input, platform.id, context, resources);
    await updateReplaced(created.instrument, resources);
    return { ...toResponse(created, context), eTag: eTagOf(created.instrument) };
  },
);

/** A card requires `card`; a bank account requires a supported country, and forbids `card`. */
function typeIssues({ type, card, issuingCountryCode }: Info): readonly Issue[] {
  if (type === 'card') return card === undefined ? [missing(['card'])] : variantIssues(card);
  const misplaced = card === undefined ? [] : [invalid(['card'])];
  return isAccountCountry(issuingCountryCode)
    ? misplaced
    : [...misplaced, invalid(['issuingCountryCode'], issuingCountryCode)];
}

async function createWithNewNumber(
  info: Info,
  platform: string,
  context: HandlerContext,
  resources: ResourceRepository,
): Promise<CreatedInstrument> {
  for (let draws = 0; draws < drawsMax; draws += 1) {
    const created = await tryCreate(info, platform, context, resources);
    if (created !== undefined) return created;
  }
  throw new Error(`${drawsMax} numbers were drawn, and all of them were issued before`);
}

/** Returns undefined where the drawn number was issued before. */
async function tryCreate(
  info: Info,
  platform: string,
  context: HandlerContext,
  resources: ResourceRepository,
): Promise<CreatedInstrument | undefined> {
  const { ids, vault } = context;
  const { card: cardInfo, bankAccount, ...rest } = info;
  const open = { ...rest, id: ids.prefixedId('PI'), status: firstStatus(info) };
  const kind = paymentInstruments;
  if (cardInfo !== undefined) {
    const { issued, card } = createCard(cardInfo, context);
    const secrets = sealCard(platform, open.id, issued, vault);
    const instrument = await createWithNumber({ kind, platform, record: { ...open, card }, ...secrets }, resources);
    return instrument && { instrument, issued };
  }
  const { issuingCountryCode: country } = info;
  if (!isAccountCountry(country)) throw new TypeError(`no accounts are issued in ${country}`);
  const account = createAccount(country, bankAccount?.formFactor ?? 'physical', ids);
  const record = { ...open, bankAccount: account.bankAccount };
  const secrets = sealAccount(platform, open.id, account, vault);
  const instrument = await createWithNumber({ kind, platform, record, ...secrets }, resources);
  return instrument && { instrument };
}

/** Without a requested status, a physical card of the United States is inactive, and everything else is active. */
function firstStatus({ status, card, issuingCountryCode }: Info): Status {
  return status ?? (card?.formFactor === 'physical' && issuingCountryCode === 'US' ? 'inactive' : 'active');
}

/** Only this response has the full number and the security code of a virtual card for a single use. */
function toResponse({ instrument, issued }: CreatedInstrument, context: HandlerContext) {
  const record = openRecord(instrument, context);
  const { card } = record;
  if (issued === undefined || card?.formFactor !== 'virtual' || card.usage !== 'singleUse') return record;
  return { ...record, card: { ...card, number: issued.number, cvc: issued.cvc } };
}
