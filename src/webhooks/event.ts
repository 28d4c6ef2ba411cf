/** What companies are told of stored details and of resources. */
import type { Records, ResourceKind } from '../services/balance-platform/resource.ts';

/** What a company is told of a stored detail, or of a check whose outcome came after its answer. */
export type RecurringEventData = { readonly merchantAccount: string } & (
  | {
      readonly kind: 'created' | 'alreadyExisting' | 'updated' | 'disabled';
      readonly shopperReference: string;
      readonly recurringDetailReference: string;
      readonly variant: string;
      readonly firstPspReference: string;
    }
  | {
      readonly kind: 'checked';
      /** That of the merchant for the check. */
      readonly reference: string;
      readonly result: string;
      /** As far as the request named them. */
      readonly shopperReference?: string | undefined;
      readonly recurringDetailReference?: string | undefined;
    }
);

/** What a company is told of a resource of its balance platform: that it came to be or changed, and how it is now. */
export interface ResourceEventData<K extends ResourceKind = ResourceKind> {
  readonly kind: K;
  readonly operation: 'created' | 'updated';
  readonly platform: string;
  /** What lies open of it, so nothing that is sealed. */
  readonly record: Records[K];
}

export type DomainEvent = RecurringEventData | ResourceEventData;

/** What one request did, in the order in which it did it. */
export interface EventBatch {
  readonly company: string;
  /** Of the request; each notice is known by it, so it tells once. */
  readonly pspReference: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly events: readonly DomainEvent[];
}
