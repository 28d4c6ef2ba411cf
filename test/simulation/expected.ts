/** What ought to become of a request: its answer in every format, and what is written. */

/** What is refused, and kept. */
export type Refusal =
  | 'contractNotFound'
  | 'finallyClosed'
  | 'illegalMove'
  | 'holderInUse'
  | 'holderNotActive'
  | 'accountHolderClosed'
  | 'accountInUse'
  | 'accountNotActive'
  | 'accountClosed';

/** What is answered. */
export type Expected =
  | {
      readonly outcome: 'ok';
      readonly output: Readonly<Record<string, unknown>>;
      /** Of a resource, in the head. */
      readonly eTag?: string;
    }
  | { readonly outcome: Refusal; readonly words: string };

/** What is the gateway's to choose of what is new. */
export interface Made {
  /** Of a stored detail. */
  readonly reference?: string | undefined;
  /** Of a resource. */
  readonly id?: string | undefined;
  readonly card?: MadeCard | undefined;
}

export interface MadeCard {
  readonly lastFour: string;
  readonly expiration: { readonly month: string; readonly year: string };
  /** Of its number. */
  readonly fingerprint: string;
}

export interface Step {
  readonly expected: Expected;
  /** What is written, as text and in no order. */
  readonly effects: readonly string[];
}
