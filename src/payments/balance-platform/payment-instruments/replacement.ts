/** Replacement: two payment instruments name each other, and the old one closes when the new one becomes active. */
import { Problem, throwIssues } from '../../../core/contract/index.ts';
import { invalid, platformProblems } from '../problems.ts';
import type { StoredResource } from '../resource.ts';
import { change } from '../save-resource.ts';
import type { ResourceRepository } from '../store/repository.ts';
import type { PaymentInstrument } from './contract.ts';
import { paymentInstruments } from './kind.ts';

type Instrument = StoredResource<PaymentInstrument>;

/** Refuses a replacement of another type, and a second one while the first is not closed. */
export async function checkReplaceable(
  { platform, record: old }: Instrument,
  type: Instrument['record']['type'],
  resources: ResourceRepository,
): Promise<void> {
  if (old.type !== type) throwIssues([invalid(['replacementOfId'], old.id)]);
  if (old.replacedById === undefined) return;
  const other = await resources.findResource(paymentInstruments, platform, old.replacedById);
  if (other?.record.status !== 'closed') throw new Problem(platformProblems.alreadyReplaced);
}

/** Call it when the new instrument was created, and when it becomes active. */
export async function updateReplaced({ platform, record }: Instrument, resources: ResourceRepository): Promise<void> {
  const { id, replacementOfId, status } = record;
  if (replacementOfId === undefined) return;
  const old = await resources.findResource(paymentInstruments, platform, replacementOfId);
  if (old === undefined) throw new Error('the replaced payment instrument is missing');
  await change(old, { replacedById: id, ...(status === 'active' && closedBy(old.record, id)) }, resources);
}

/** A closed instrument keeps its reason. */
function closedBy({ status }: Instrument['record'], id: string): Partial<Instrument['record']> {
  return status === 'closed' ? {} : { status: 'closed', statusReason: 'other', statusComment: `Replaced by ${id}` };
}
