/** Payment instruments: shown, listed, changed and cancelled (specification, section 4). */

import { isDeepStrictEqual } from 'node:util';
import type { Input } from '../../../contract/operation.ts';
import { Problem, throwIssues } from '../../../contract/problem.ts';
import type { Handler, HandlerContext } from '../../../gateway/handler.ts';
import { withEvents } from '../events.ts';
import { checkTransition } from '../lifecycle.ts';
import { pageOf } from '../list.ts';
import { platformProblems } from '../problems.ts';
import { requireActiveAccount } from '../require-active.ts';
import type { StoredResource } from '../resource.ts';
import { change, checkIfMatch, eTagOf } from '../save-resource.ts';
import { reasonIssues, reasonOf } from '../status-reason.ts';
import { ResourceReader, type ResourceRepository } from '../store/repository.ts';
import { findForTenant } from '../tenancy.ts';
import type { BalancePlatformOperations } from '../v2.ts';
import { type Card, type CardInfo, changedCard } from './card.ts';
import { settleReplacement } from './replacement.ts';
import { openRecord } from './secrets.ts';

type Operations = BalancePlatformOperations;
type Instrument = StoredResource<'paymentInstrument'>;
type Changes = Input<Operations['updatePaymentInstrument']>;

const shown = (kept: Instrument, world: HandlerContext) => ({ ...openRecord(kept, world), eTag: eTagOf(kept) });

/** The card as it is to be; the same one again is no change, whatever the status. */
const nextCard = ({ record }: Instrument, info: CardInfo | undefined): Card | undefined => {
  if (info === undefined) return record.card;
  const card = changedCard(record, info);
  if (isDeepStrictEqual(card, record.card)) return record.card;
  if (record.status !== 'inactive') throw new Problem(platformProblems.instrumentInUse);
  return card;
};

/** It moves only while it is inactive, and works only with an account that does. */
const checkUse = async (
  { record }: Instrument,
  { status = record.status, balanceAccountId = record.balanceAccountId }: Changes,
  account: StoredResource<'balanceAccount'>,
  resources: ResourceRepository,
): Promise<void> => {
  const moves = balanceAccountId !== record.balanceAccountId;
  if (moves && record.status !== 'inactive') throw new Problem(platformProblems.instrumentNotMovable);
  if (moves || (status === 'active' && record.status !== 'active')) await requireActiveAccount(account, resources);
};

export const getPaymentInstrument: Handler<Operations['getPaymentInstrument']> = async ({ input, caller }, tx, world) =>
  shown(await findForTenant('paymentInstrument', input.id, caller, tx.repository(ResourceReader)), world);

export const updatePaymentInstrument = withEvents<Operations['updatePaymentInstrument']>(
  async ({ input, caller }, resources, world) => {
    const before = await findForTenant('paymentInstrument', input.id, caller, resources);
    const { record } = before;
    checkIfMatch(input.ifMatch, before);
    checkTransition('paymentInstrument', record.status, input.status);
    throwIssues(reasonIssues(input));
    const { balanceAccountId = record.balanceAccountId, status = record.status } = input;
    const account = await findForTenant('balanceAccount', balanceAccountId, caller, resources);
    await checkUse(before, input, account, resources);
    const card = nextCard(before, input.card);
    const reason = reasonOf(input, status !== record.status);
    const kept = await change(before, { balanceAccountId, card, status, ...reason }, resources);
    await settleReplacement(kept, resources);
    return shown(kept, world);
  },
);

export const cancelPaymentInstrument = withEvents<Operations['cancelPaymentInstrument']>(
  async ({ input, caller }, resources, world) => {
    const before = await findForTenant('paymentInstrument', input.id, caller, resources);
    checkIfMatch(input.ifMatch, before);
    checkTransition('paymentInstrument', before.record.status, 'closed');
    throwIssues(reasonIssues(input));
    return shown(await change(before, { status: 'closed', ...reasonOf(input, true) }, resources), world);
  },
);

export const listPaymentInstruments: Handler<Operations['listPaymentInstruments']> = async (
  { input, caller },
  tx,
  world,
) => {
  const { platform, record } = await findForTenant('balanceAccount', input.id, caller, tx.repository(ResourceReader));
  const { items, hasNext, hasPrevious } = await pageOf(
    { kind: 'paymentInstrument', platform, parent: record.id },
    input,
    tx.repository(ResourceReader),
  );
  return { paymentInstruments: items.map((item) => openRecord(item, world)), hasNext, hasPrevious };
};
