/** The canonical request: every format and every version becomes one, validated and authorized, before its handler. */
import type { Spool } from '../spool/index.ts';
import type { Input, Operation } from './operation.ts';
import type { Service } from './service.ts';

/** The owner of a request. */
export interface CallerIdentity {
  readonly credential: string;
  readonly tenant: string;
  /** The part of the tenant that the credential is confined to, where it is: its keys are apart from those of others. */
  readonly partition?: string | undefined;
  /** It may not write without an Idempotency-Key. */
  readonly requiresKey: boolean;
}

/** A credential of a tenant, and what it may do. */
export interface Caller extends CallerIdentity {
  readonly roles: ReadonlySet<string>;
  /** It may use operations that read, and no others. */
  readonly readOnly?: boolean;
  /** The values that the caller may name, by the name of the grant that a service declares. */
  readonly grants: ReadonlyMap<string, ReadonlySet<string>>;
  /** It has logged in before, and its secret is not in the request. */
  readonly bySession?: true;
}

/** A caller whose credential only the server behind the gateway knows, which decides what it may do. */
export interface ForwardedCaller extends CallerIdentity {
  readonly rights: 'upstream';
  /** The tenant under the other index key, during its rotation. */
  readonly otherTenant?: string | undefined;
}

/** A caller; only of a `Caller` are the rights known here. */
export type AnyCaller = Caller | ForwardedCaller;

/** A request as handlers receive it: decoded, validated and authorized. */
export interface CanonicalRequest<O extends Operation = Operation, C extends AnyCaller = Caller> {
  readonly service: Service;
  /** The operation of the current version. */
  readonly operation: O;
  readonly input: Input<O>;
  readonly caller: C;
  /** 16 characters, globally unique (specification, section 8). */
  readonly requestReference: string;
  /** The Idempotency-Key, where the caller gave one. */
  readonly key?: string | undefined;
  /** Present where another server answers the operation. It holds credentials: it is never hashed, stored or logged. */
  readonly head?: RequestHead | undefined;
}

/** A request before it is known who executes it: handlers of this program need the rights of the caller. */
export type AnyRequest = CanonicalRequest<Operation, AnyCaller>;

/** What the caller sent besides the body, for a request that is forwarded. */
export interface RequestHead {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Absent where there is no connection. */
  readonly sender?: Sender | undefined;
  /** The X-Request-Id of the caller; absent where it sent none. */
  readonly requestId?: string | undefined;
  /** The trace that the request belongs to (W3C Trace Context). */
  readonly traceparent?: string | undefined;
  /** Without its question mark. It may hold a credential. */
  readonly query?: string | undefined;
  /** What was sent to the path that the operation has at its upstream, in its own format: it is passed on unchanged. */
  readonly sent?: SentParts | undefined;
  /**
   * Where large values of the answer are held until the request is answered; absent where they are in memory.
   * @internal
   */
  readonly spool?: Spool | undefined;
  /** The credential in the message; absent where the headers have one. */
  readonly token?: UsernameToken | undefined;
}

/** The parts of a request that are passed on as they are. */
export interface SentParts {
  /** Without its question mark. */
  readonly query: string;
  readonly contentType: string | undefined;
  readonly body: Uint8Array;
}

/** A UsernameToken of WS-Security, as the caller sent it. It is never hashed, stored or logged. */
export interface UsernameToken {
  readonly username: string;
  /** The password, or its digest in Base64. */
  readonly password: string;
  readonly isDigest: boolean;
  readonly nonce: string | undefined;
  readonly created: string | undefined;
}

/** What the security header of a message has. The times are texts of the caller. */
export interface MessageSecurity {
  readonly token: UsernameToken | undefined;
  readonly created?: string | undefined;
  readonly expires?: string | undefined;
}

/** Where a request came from, also through trusted proxies. */
export interface Sender {
  readonly address: string;
  readonly scheme: 'http' | 'https';
}
