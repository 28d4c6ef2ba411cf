/** The canonical request: every format and every version becomes one, validated and authorized, before its handler. */
import type { Input, Operation } from './operation.ts';
import type { Service } from './service.ts';

/** A credential of a tenant, and what it may do. */
export interface Caller {
  readonly credential: string;
  readonly tenant: string;
  readonly roles: ReadonlySet<string>;
  /** The values that the caller may name, by the name of the grant that a service declares. */
  readonly grants: ReadonlyMap<string, ReadonlySet<string>>;
  /** The part of the tenant that the credential is confined to, where it is: its keys are apart from those of others. */
  readonly partition?: string | undefined;
  /** It may not write without an Idempotency-Key. */
  readonly requiresKey: boolean;
}

/** A request as handlers receive it: decoded, validated and authorized. */
export interface CanonicalRequest<O extends Operation = Operation> {
  readonly service: Service;
  /** Of the current version. */
  readonly operation: O;
  readonly input: Input<O>;
  readonly caller: Caller;
  /** 16 characters, globally unique (specification, section 8). */
  readonly requestReference: string;
  /** The Idempotency-Key, where the caller gave one. */
  readonly key?: string | undefined;
  /** Present where another server answers the operation. It holds credentials: it is never hashed, stored or logged. */
  readonly head?: RequestHead | undefined;
}

/** What the caller sent besides the body, for a request that is forwarded. */
export interface RequestHead {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Absent where there is no connection. */
  readonly sender?: Sender | undefined;
}

/** Where a request came from, also through trusted proxies. */
export interface Sender {
  readonly address: string;
  readonly scheme: 'http' | 'https';
}
