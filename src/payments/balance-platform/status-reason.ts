/** The reason of a status. The reason `other` requires a comment. */
import type { Issue } from '../../core/contract/index.ts';
import type { PaymentInstrument } from './payment-instruments/contract.ts';
import { missing } from './problems.ts';

type Reason = Pick<PaymentInstrument, 'statusReason' | 'statusComment'>;

export function reasonIssues({ statusReason, statusComment }: Reason): readonly Issue[] {
  return statusReason === 'other' && statusComment === undefined ? [missing(['statusComment'])] : [];
}

/** A new status has the reason of the request, or none; an unchanged one keeps what the request leaves out. */
export function reasonOf({ statusReason, statusComment }: Reason, isNewStatus: boolean): Reason {
  if (isNewStatus) return { statusReason, statusComment };
  return {
    ...(statusReason !== undefined && { statusReason }),
    ...(statusComment !== undefined && { statusComment }),
  };
}
