/** The records of a gateway without a database, which are in Redis. */
import { object, optional } from '../../core/contract/index.ts';
import { acts, longText, operatorProblems } from '../operation.ts';

export const acceptLoss = acts(
  'acceptLoss',
  'POST /records/acceptLoss',
  'Makes the Redis of REDIS_STORE_URL the store, with the records that it has. For a new one, and for one that has lost records: requests whose records are gone are sent again when they are retried.',
  {},
  object('LossAccepted', {
    reason: optional(longText, 'Why it was not the store. Absent where it was.'),
  }),
  { audited: [], problems: [operatorProblems.refusedAction] },
);

export const recordOperations = [acceptLoss] as const;
