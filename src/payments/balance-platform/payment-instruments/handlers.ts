/** Returns, lists, updates and cancels payment instruments (specification, section 4). */

import { isDeepStrictEqual } from 'node:util';
import { type Input, type Issue, Problem, throwIssues } from '../../../core/contract/index.ts';
import type { HandlerContext } from '../../../core/gateway/index.ts';
import { bindHandlers, type Handler } from '../../../stores/index.ts';
import type { BalanceAccount } from '../balance-accounts/contract.ts';
import { balanceAccounts } from '../balance-accounts/kind.ts';
import { withEvents } from '../events.ts';
import { readPage } from '../list.ts';
import { platformProblems } from '../problems.ts';
import { readOnlyIssues } from '../read-only.ts';
import { requireActiveAccount } from '../require-active.ts';
import type { Resource, StoredResource } from '../resource.ts';
import { change, checkIfMatch, checkTransition, eTagOf } from '../save-resource.ts';
import { reasonIssues, reasonOf } from '../status-reason.ts';
import { ResourceReader, type ResourceRepository } from '../store/repository.ts';
import { findForTenant } from '../tenancy.ts';
import { type Card, type CardUpdate, changedCard } from './card.ts';
import * as contract from './contract.ts';
import { createPaymentInstrument } from './create.ts';
import { paymentInstruments } from './kind.ts';
import { updateReplaced } from './replacement.ts';
import { openRecord } from './secrets.ts';

type Instrument = StoredResource<contract.PaymentInstrument>;

const getPaymentInstrument: Handler<typeof contract.getPaymentInstrument> = async ({ input, caller }, tx, context) =>
  toResponse(await findForTenant(paymentInstruments, input.id, caller, tx.repository(ResourceReader)), context);

const updatePaymentInstrument = withEvents<typeof contract.updatePaymentInstrument>(
  async ({ input, caller }, resources, context) => {
    const before = await findForTenant(paymentInstruments, input.id, caller, resources);
    const { record } = before;
    checkIfMatch(input.ifMatch, before);
    checkTransition(before, input.status);
    throwIssues([...reasonIssues(input), ...sentBackIssues(before, input, context)]);
    const { balanceAccountId = record.balanceAccountId, status = record.status } = input;
    const account = await findForTenant(balanceAccounts, balanceAccountId, caller, resources);
    await checkUse(before, input, account, resources);
    const card = nextCard(before, input.card);
    const reason = reasonOf(input, status !== record.status);
    const after = await change(before, { balanceAccountId, card, status, ...reason }, resources);
    await updateReplaced(after, resources);
    return toResponse(after, context);
  },
);

const cancelPaymentInstrument = withEvents<typeof contract.cancelPaymentInstrument>(
  async ({ input, caller }, resources, context) => {
    const before = await findForTenant(paymentInstruments, input.id, caller, resources);
    checkIfMatch(input.ifMatch, before);
    checkTransition(before, 'closed');
    throwIssues(reasonIssues(input));
    return toResponse(await change(before, { status: 'closed', ...reasonOf(input, true) }, resources), context);
  },
);

const listPaymentInstruments: Handler<typeof contract.listPaymentInstruments> = async (
  { input, caller },
  tx,
  context,
) => {
  const resources = tx.repository(ResourceReader);
  const { platform, record } = await findForTenant(balanceAccounts, input.id, caller, resources);
  const children = { kind: paymentInstruments, platform, parent: record.id } as const;
  const { items, hasNext, hasPrevious } = await readPage(children, input, resources);
  return { paymentInstruments: items.map((item) => openRecord(item, context)), hasNext, hasPrevious };
};

function toResponse(instrument: Instrument, context: HandlerContext) {
  return { ...openRecord(instrument, context), eTag: eTagOf(instrument) };
}

/** What only the platform sets must be as it is. */
function sentBackIssues(
  before: Instrument,
  input: Input<typeof contract.updatePaymentInstrument>,
  context: HandlerContext,
): readonly Issue[] {
  const { id, sameId, ifMatch: _, balanceAccountId: _account, card, status: _status, ...rest } = input;
  const { statusComment: _comment, statusReason: _reason, ...sentBack } = rest;
  const { bin, expiration, lastFour, number } = card ?? {};
  const record = openRecord(before, context);
  return [
    ...readOnlyIssues({ ...record, sameId: id }, { sameId, ...sentBack }),
    ...(record.card === undefined ? [] : readOnlyIssues(record.card, { bin, expiration, lastFour, number }, ['card'])),
  ];
}

/** The card may change only while the instrument is inactive; the same card again is no change. */
function nextCard({ record }: Instrument, info: CardUpdate | undefined): Card | undefined {
  if (info === undefined) return record.card;
  const card = changedCard(record, info);
  if (isDeepStrictEqual(card, record.card)) return record.card;
  if (record.status !== 'inactive') throw new Problem(platformProblems.instrumentInUse);
  return card;
}

/** The instrument moves only while it is inactive, and is activated only with an active account. */
async function checkUse(
  { record }: Instrument,
  {
    status = record.status,
    balanceAccountId = record.balanceAccountId,
  }: Input<typeof contract.updatePaymentInstrument>,
  account: StoredResource<BalanceAccount>,
  resources: ResourceRepository,
): Promise<void> {
  const moves = balanceAccountId !== record.balanceAccountId;
  if (moves && record.status !== 'inactive') throw new Problem(platformProblems.instrumentNotMovable);
  if (moves || (status === 'active' && record.status !== 'active')) await requireActiveAccount(account, resources);
}

export const paymentInstrumentResource = Object.freeze({
  kind: paymentInstruments,
  handlers: bindHandlers(contract.operations, {
    createPaymentInstrument,
    getPaymentInstrument,
    updatePaymentInstrument,
    cancelPaymentInstrument,
    listPaymentInstruments,
  }),
}) satisfies Resource;
