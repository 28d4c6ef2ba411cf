/** Why a status is what it is: the reason `other` says nothing without a comment. */
import type { Issue } from '../../contract/problem.ts';
import { missing } from './field-issues.ts';
import type { Records } from './resource.ts';

export type Reason = Pick<Records['paymentInstrument'], 'statusReason' | 'statusComment'>;

export const reasonIssues = ({ statusReason, statusComment }: Reason): readonly Issue[] =>
  statusReason === 'other' && statusComment === undefined ? [missing(['statusComment'])] : [];

/** The reason of a status that is moved to; the one before was of the status before. */
export const reasonOf = ({ statusReason, statusComment }: Reason, moves: boolean): Reason => {
  if (moves) return { statusReason, statusComment };
  return {
    ...(statusReason !== undefined && { statusReason }),
    ...(statusComment !== undefined && { statusComment }),
  };
};
