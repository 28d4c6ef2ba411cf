/** Why a status is what it is: the reason `other` says nothing without a comment. */
import { Problem } from '../../contract/problem.ts';
import type { Records } from './ports.ts';

export type Reason = Pick<Records['paymentInstrument'], 'statusReason' | 'statusComment'>;

export const checkReason = ({ statusReason, statusComment }: Reason): void => {
  if (statusReason === 'other' && statusComment === undefined)
    throw Problem.at(['statusComment'], 'missingField', 'statusComment');
};

/** The reason of a status that is moved to; the one before was of the status before. */
export const reasonOf = ({ statusReason, statusComment }: Reason, moves: boolean): Reason => {
  if (moves) return { statusReason, statusComment };
  return {
    ...(statusReason !== undefined && { statusReason }),
    ...(statusComment !== undefined && { statusComment }),
  };
};
