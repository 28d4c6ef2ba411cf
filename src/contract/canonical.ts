/** The canonical request: every format and every version becomes one, validated and authorized, before its handler. */
import type { Input, Operation, Role } from './operation.ts';
import type { Service } from './service.ts';

/** Who calls: a credential of a company, with what it may do. */
export interface Caller {
  readonly credential: string;
  readonly company: string;
  readonly roles: ReadonlySet<Role>;
  readonly merchantAccounts: ReadonlySet<string>;
  /** The balance platform that it acts for, and sees nothing beside; it then has no merchant accounts. */
  readonly balancePlatform?: string | undefined;
  /** It may not write without an Idempotency-Key. */
  readonly requiresKey: boolean;
}

/** Whose an Idempotency-Key is: the company's, or the balance platform's. No name of either has a slash. */
export const keyOwner = ({ company, balancePlatform }: Caller): string =>
  balancePlatform === undefined ? company : `${company}/${balancePlatform}`;

export interface CanonicalRequest<O extends Operation = Operation> {
  readonly service: Service;
  /** Of the current version. */
  readonly operation: O;
  readonly input: Input<O>;
  readonly caller: Caller;
  /** 16 characters, globally unique (specification, section 8). */
  readonly pspReference: string;
  /** The Idempotency-Key, where the caller gave one. */
  readonly key?: string | undefined;
}
