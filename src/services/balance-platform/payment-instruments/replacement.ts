/** Replacement: two payment instruments that name each other; the old one closes when the new one becomes active. */
import { Problem, throwIssues } from '../../../contract/problem.ts';
import { invalid } from '../field-issues.ts';
import { platformProblems } from '../problems.ts';
import type { StoredResource } from '../resource.ts';
import { change } from '../save-resource.ts';
import type { ResourceRepository } from '../store/repository.ts';

type Instrument = StoredResource<'paymentInstrument'>;

/** Refuses to replace by another type, and what has a replacement that is not closed. */
export const checkReplaceable = async (
  { platform, record: old }: Instrument,
  type: Instrument['record']['type'],
  resources: ResourceRepository,
): Promise<void> => {
  if (old.type !== type) throwIssues([invalid(['replacementOfId'], old.id)]);
  if (old.replacedById === undefined) return;
  const other = await resources.findResource('paymentInstrument', platform, old.replacedById);
  if (other?.record.status !== 'closed') throw new Problem(platformProblems.alreadyReplaced);
};

/** What an instrument says once another one works in its place; of what is closed already, the reason stays. */
const endOf = ({ status }: Instrument['record'], id: string): Partial<Instrument['record']> =>
  status === 'closed' ? {} : { status: 'closed', statusReason: 'other', statusComment: `Replaced by ${id}` };

/** To be called when the new one was made, and when it becomes active. */
export const settleReplacement = async (
  { platform, record }: Instrument,
  resources: ResourceRepository,
): Promise<void> => {
  const { id, replacementOfId, status } = record;
  if (replacementOfId === undefined) return;
  const old = await resources.findResource('paymentInstrument', platform, replacementOfId);
  if (old === undefined) throw new Error('what is replaced is gone');
  await change(old, { replacedById: id, ...(status === 'active' && endOf(old.record, id)) }, resources);
};
