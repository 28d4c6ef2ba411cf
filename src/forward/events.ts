/** Events at an upstream, for logs and metrics. They hold names and codes, and nothing of a message. */
import type { FailureReason } from './failure.ts';

export type UpstreamEvent = { readonly upstream: string } & (
  | {
      readonly kind: 'failed';
      readonly operation: string;
      readonly reason: FailureReason;
      /** Whether the upstream may have received the request. */
      readonly isSent: boolean;
      /** An error code of the system, or the status of the response. */
      readonly detail: string;
      /** Whether the request is sent again. */
      readonly isRetried: boolean;
    }
  /** Members of an answer that the contract does not have. */
  | {
      readonly kind: 'unknownMembers';
      readonly service: string;
      readonly operation: string;
      readonly members: readonly string[];
    }
  /** The circuit opened; it closed again. */
  | { readonly kind: 'down'; readonly reason: FailureReason }
  | { readonly kind: 'up' }
);
