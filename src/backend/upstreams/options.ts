/** What a configuration says of upstreams: other servers that answer operations. */

import type { UpstreamFormat } from '../../core/formats/index.ts';
import type { RuleTexts } from '../../forward/index.ts';

/** Where a secret is: in a variable, in a file, or in the configuration itself. */
export type SecretSource = { readonly env: string } | { readonly file: string } | { readonly inClear: string };

/** A credential of the gateway at an upstream. */
export type FixedCredential =
  | { readonly basic: { readonly username: string; readonly password: SecretSource } }
  /** Sent in X-API-Key, or in the header that `header` names. */
  | { readonly apiKey: SecretSource; readonly header?: string }
  | { readonly bearer: SecretSource }
  | { readonly oauth2: ClientCredentials };

/** The client credentials of the gateway (OAuth 2): it gets tokens by them, and sends them as bearer tokens. */
export interface ClientCredentials {
  /** The token endpoint: `https://login.example.com/oauth2/token`. */
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: SecretSource;
  /** Where the token endpoint gets the secret: in HTTP Basic, the default, or in the body. */
  readonly sentIn?: 'basic' | 'body';
  readonly scope?: string;
  /** Further parameters of the request for a token, such as `audience`. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/**
 * Which credential an upstream receives: that of the caller (`forward`), the one that `triglyph upstream credential set` has
 * saved for the caller's credential (`mapped`), one of the gateway, or `none`.
 */
export type UpstreamCredentials = 'forward' | 'mapped' | 'none' | FixedCredential;

/** TLS towards an upstream. Paths start at the working folder. */
export interface UpstreamTls {
  /** Certificates in PEM that are trusted instead of the usual ones. */
  readonly caFile?: string;
  /** The certificate that the gateway presents, and its key, in PEM. */
  readonly certFile?: string;
  readonly keyFile?: string;
  /** The name that the certificate of the upstream must have. By default the host of its URL. */
  readonly serverName?: string;
}

/** Times that an upstream has, in milliseconds. */
export interface UpstreamTimeouts {
  /** To open a connection. */
  readonly connectMs?: number;
  /** From the request to the head of the answer. */
  readonly headersMs?: number;
  /** Between two pieces of the answer. */
  readonly bodyMs?: number;
  /** For a request with its retries, and its time in the queue. */
  readonly totalMs?: number;
}

/** A text of a SOAP header: itself, a secret, that of a header of the caller's request, or a value of the session. */
export type SoapHeaderText = string | SecretSource | { readonly header: string } | { readonly session: string };

/** The content of a SOAP header: a text, or elements in its namespace. */
export type SoapHeaderContent = SoapHeaderText | { readonly elements: Readonly<Record<string, SoapHeaderContent>> };

/** WS-Security of requests in SOAP. */
export interface WsSecurity {
  readonly username?: string;
  readonly password?: SecretSource;
  /** The UsernameToken is the name and the password that `credentials` of the upstream says, instead of HTTP Basic. */
  readonly credentials?: boolean;
  /** By default `text`. */
  readonly passwordType?: 'text' | 'digest';
  /** For how long a request is valid, in seconds. By default it has no Timestamp. */
  readonly timestampSeconds?: number;
  /** A certificate and its key, in PEM: they sign the Body, and the Timestamp. */
  readonly certFile?: string;
  readonly keyFile?: string;
}

/** A member of a log-in: as in JSON, or a secret. */
export type SessionInput = string | number | boolean | SecretSource | { readonly [member: string]: SessionInput };

/** The session of the gateway at an upstream: it logs in before its first request, and again when the session has ended. */
export interface UpstreamSession {
  /** An operation that this upstream answers: `Desk.LogIn`. */
  readonly logIn: string;
  /** What the operation is sent. */
  readonly input?: Readonly<Record<string, SessionInput>>;
  /** An operation of the same service that ends the session: the gateway sends it when it stops. */
  readonly logOut?: string;
  /** What that operation is sent. Texts may have values in braces: `{id}`. */
  readonly logOutInput?: Readonly<Record<string, SessionInput>>;
  /** Values of its answer by names of one's own: a member, `result.sessionId`, or a header of HTTP. */
  readonly values?: Readonly<Record<string, string | { readonly header: string }>>;
  /** Headers of HTTP that later requests send, with values in braces: `Bearer {token}`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether later requests send the cookies of the session. */
  readonly cookies?: boolean;
  /** What says that the session has ended: a status, the code of a refusal, or a part of its text. By default 401. */
  readonly ended?: readonly (string | number)[];
  /** For how long a session is used. By default until the upstream ends it. */
  readonly seconds?: number;
}

/** A value of a question: a member of the write, its derived key (see `lookupHeader`), or a constant. */
export type LookupValue = string | { readonly key: true } | { readonly value: string | boolean };

/** How the upstream is asked what became of a write. Members are named by their paths in the contract: `order.reference`. */
export interface UpstreamLookup {
  /** An operation that reads, and that this upstream answers: `Orders.findOrder`. */
  readonly by: string;
  /** What it is sent. It must identify one request. */
  readonly input: Readonly<Record<string, LookupValue>>;
  /** The member of the answer with what was found: an object, or a list of them. By default the answer itself. */
  readonly found?: string;
  /** Members of what was found that must have these values: else it is another request's, and proves nothing. */
  readonly same?: Readonly<Record<string, LookupValue>>;
  /** Members of what was found, with the values that say that the effect is there. By default whatever is found is. */
  readonly done?: Readonly<Record<string, string | number | boolean | readonly (string | number | boolean)[]>>;
  /** The output of the write by members of what was found, and constants. By default those of the same name. */
  readonly output?: Readonly<Record<string, string | { readonly value: string | boolean }>>;
  /** Statuses and codes of refusals which say that there is no such request. By default no refusal says so. */
  readonly notFound?: readonly (string | number)[];
  /**
   * For how long a request may still arrive after the gateway has ceased to wait, in milliseconds. Later, one that is not found may be
   * sent again. Without it, that a request is not found never counts.
   */
  readonly notFoundAfterMs?: number;
}

/**
 * A second server that gets copies of requests, such as the one that replaces the upstream: its answers are compared, and callers never
 * wait for it. It has members of an upstream of its own, also its credentials.
 */
export interface ShadowOptions extends Omit<UpstreamOptions, 'shadow' | 'lookups' | 'lookupHeader'> {
  /** Percent of the requests that are copied, where `triglyph shadow share` says no other. By default 100. */
  readonly share?: number;
  /** The ids of the credentials whose requests are copied. By default those of all. */
  readonly callers?: readonly string[];
  /** The operations that are copied: `Orders`, or `Orders.getOrder`. By default all. */
  readonly operations?: readonly string[];
  /**
   * `never`, the default: only requests that read are copied. `sandbox`: the shadow gets copies of those that write, too, under keys of
   * their own, and never answers them.
   */
  readonly writes?: 'never' | 'sandbox';
  /** What is no difference: the rules of `triglyph replay` (docs/record.md). */
  readonly rules?: RuleTexts;
  /** Copies on the way at a time. By default 4. */
  readonly concurrency?: number;
  /** Bytes of all copies and of the answers that they are compared with, beyond which others are dropped. By default 16 MiB. */
  readonly bytesMax?: number;
  /**
   * Percent of one processor that sending copies and comparing their answers may use, for all shadows of a gateway; more copies are
   * dropped. By default 5.
   */
  readonly cpuPercent?: number;
  /** Whether a switched share is one of callers (the default), or one of requests. */
  readonly spread?: 'caller' | 'request';
  /** When a switch is rolled back. */
  readonly rollback?: ShadowRollback;
}

/** A switch is rolled back when the gateways of a store count more in a window, or five failures in a row. */
export interface ShadowRollback {
  /** Percent of the answers that differ. By default 1. */
  readonly differences?: number;
  /** Percent of the requests that fail. By default 1. With 100, failures roll nothing back. */
  readonly errors?: number;
  /** How many count at least. By default 20. */
  readonly requestsMin?: number;
  /** Of the window. By default 60. */
  readonly seconds?: number;
}

/** Another server that answers operations. */
export interface UpstreamOptions {
  /** A second server that gets copies of requests, and may take over. */
  readonly shadow?: ShadowOptions;
  /** Where its services begin: `https://erp.example.com`, with a path where its addresses have one before ours. */
  readonly url: string;
  /** By default `json`. Operations with an HTTP binding are sent by their method and path. */
  readonly format?: UpstreamFormat;
  readonly credentials: UpstreamCredentials;
  readonly tls?: UpstreamTls;
  readonly timeouts?: UpstreamTimeouts;
  /** The maximum number of connections from one process. By default 64. */
  readonly connections?: number;
  /** The maximum number of requests that wait for a connection. By default 256. */
  readonly queueMax?: number;
  /** The largest answer, in bytes. By default 16 MiB in memory, and with large values in files as much as the contract allows. */
  readonly responseBytesMax?: number;
  readonly session?: UpstreamSession;
  /**
   * Members of answers that the contract does not have. `keep`, the default: callers get them beside the answer. `refuse`: callers
   * get an error that names them. `drop`: the log names each once.
   */
  readonly unknownMembers?: 'keep' | 'refuse' | 'drop';
  /** Blocks for the header of requests in SOAP, by the names of their elements: `{urn:example}Tenant`. */
  readonly soapHeaders?: Readonly<Record<string, SoapHeaderContent>>;
  readonly wsSecurity?: WsSecurity;
  /** WS-Addressing in requests in SOAP: To, Action, ReplyTo and MessageID. */
  readonly wsAddressing?: boolean;
  /** Requests in SOAP have their bytes in parts of their own (MTOM). By default as the contract says. */
  readonly mtom?: boolean;
  /** For a SOAP server with one address: every request goes to `url` itself. */
  readonly singleAddress?: boolean;
  /**
   * `header`: the upstream has the effect of one key once, however often it receives it. `body`: so it does, and the key is where
   * the format has a place for it. `none`, the default: it may have the effect each time, so a write is sent at most once.
   */
  readonly idempotency?: 'header' | 'body' | 'none';
  /** The header that carries the key. By default Idempotency-Key. Only with `idempotency: 'header'`. */
  readonly idempotencyHeader?: string;
  /** How long the upstream knows a key, in milliseconds. By default a day. */
  readonly idempotencyMs?: number;
  /**
   * What an error of the application (5xx in its format, a fault of the class Server) says of a write. `final`, the default: it is
   * the outcome. `unknown`: the write may have had its effect, for servers that are known to fail after it.
   */
  readonly serverErrors?: 'final' | 'unknown';
  /** How it is asked for the outcomes of writes, by their operations: `Orders.placeOrder`. Only with `idempotency: 'none'`. */
  readonly lookups?: Readonly<Record<string, UpstreamLookup>>;
  /** A header in which writes carry a key of their own, for look-ups by `{ key: true }`. The upstream need not deduplicate by it. */
  readonly lookupHeader?: string;
}

/** Upstreams by name. */
export type Upstreams = Readonly<Record<string, UpstreamOptions>>;

/**
 * Which upstream answers a service (`Orders`) or one of its operations (`Orders.getOrder`), by name. `builtIn` stands for the
 * handlers of this program. The entry of an operation overrides that of its service.
 */
export type AnsweredBy = Readonly<Record<string, string>>;
