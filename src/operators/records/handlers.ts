/** Accepts that a Redis has lost records. */
import { type OperatorHandlers, refuse } from '../operator.ts';
import type { recordOperations } from './contract.ts';

export const recordHandlers: OperatorHandlers<(typeof recordOperations)[number]> = {
  async acceptLoss(_, { backend: { records } }) {
    if (records?.acceptLoss === undefined) refuse('the records of this gateway are not in REDIS_STORE_URL');
    return { reason: await records.acceptLoss() };
  },
};
