/** Payment instruments: shown, listed, changed and cancelled (specification, section 4). */
import { isDeepStrictEqual } from 'node:util';
import type { Input } from '../../../contract/operation.ts';
import { Problem, refuseAll } from '../../../contract/problem.ts';
import type { Handler, World } from '../../../gateway/handler.ts';
import { telling } from '../events.ts';
import { checkMove } from '../lifecycle.ts';
import { pageOf } from '../list.ts';
import { checkAccount } from '../require-active.ts';
import type { Kept, PlatformUnit } from '../resource.ts';
import { change, checkIfMatch, eTagOf } from '../save-resource.ts';
import { reasonIssues, reasonOf } from '../status-reason.ts';
import { findOwn } from '../tenancy.ts';
import type { BalancePlatformOperations } from '../v2.ts';
import { type Card, type CardInfo, changedCard } from './card.ts';
import { settleReplacement } from './replacement.ts';
import { openRecord } from './secrets.ts';

type Operations = BalancePlatformOperations;
type Instrument = Kept<'paymentInstrument'>;
type Changes = Input<Operations['updatePaymentInstrument']>;

const shown = (kept: Instrument, world: World) => ({ ...openRecord(kept, world), eTag: eTagOf(kept) });

/** The card as it is to be; the same one again is no change, whatever the status. */
const nextCard = ({ record }: Instrument, info: CardInfo | undefined): Card | undefined => {
  if (info === undefined) return record.card;
  const card = changedCard(record, info);
  if (isDeepStrictEqual(card, record.card)) return record.card;
  if (record.status !== 'inactive') throw new Problem('instrumentInUse');
  return card;
};

/** It moves only while it is inactive, and works only with an account that does. */
const checkUse = async (
  { record }: Instrument,
  { status = record.status, balanceAccountId = record.balanceAccountId }: Changes,
  account: Kept<'balanceAccount'>,
  unit: PlatformUnit,
): Promise<void> => {
  const moves = balanceAccountId !== record.balanceAccountId;
  if (moves && record.status !== 'inactive') throw new Problem('instrumentNotMovable');
  if (moves || (status === 'active' && record.status !== 'active')) await checkAccount(account, unit);
};

export const getPaymentInstrument: Handler<Operations['getPaymentInstrument']> = async (
  { input, caller },
  view,
  world,
) => shown(await findOwn('paymentInstrument', input.id, caller, view), world);

export const updatePaymentInstrument = telling<Operations['updatePaymentInstrument']>(
  async ({ input, caller }, unit, world) => {
    const before = await findOwn('paymentInstrument', input.id, caller, unit);
    const { record } = before;
    checkIfMatch(input.ifMatch, before);
    checkMove('paymentInstrument', record.status, input.status);
    refuseAll(reasonIssues(input));
    const { balanceAccountId = record.balanceAccountId, status = record.status } = input;
    const account = await findOwn('balanceAccount', balanceAccountId, caller, unit);
    await checkUse(before, input, account, unit);
    const card = nextCard(before, input.card);
    const reason = reasonOf(input, status !== record.status);
    const kept = await change(before, { balanceAccountId, card, status, ...reason }, unit);
    await settleReplacement(kept, unit);
    return shown(kept, world);
  },
);

export const cancelPaymentInstrument = telling<Operations['cancelPaymentInstrument']>(
  async ({ input, caller }, unit, world) => {
    const before = await findOwn('paymentInstrument', input.id, caller, unit);
    checkIfMatch(input.ifMatch, before);
    checkMove('paymentInstrument', before.record.status, 'closed');
    refuseAll(reasonIssues(input));
    return shown(await change(before, { status: 'closed', ...reasonOf(input, true) }, unit), world);
  },
);

export const listPaymentInstruments: Handler<Operations['listPaymentInstruments']> = async (
  { input, caller },
  view,
  world,
) => {
  const { platform, record } = await findOwn('balanceAccount', input.id, caller, view);
  const { items, hasNext, hasPrevious } = await pageOf(
    { kind: 'paymentInstrument', platform, parent: record.id },
    input,
    view,
  );
  return { paymentInstruments: items.map((item) => openRecord(item, world)), hasNext, hasPrevious };
};
