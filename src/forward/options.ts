/** What an upstream is created with: where it is, how it is asked, and what it is given of the caller. */
import type { AnyRequest } from '../core/contract/index.ts';
import type { NamedProtocol, Protocols } from '../core/formats/index.ts';
import type { Clock } from '../core/lib/index.ts';
import type { UpstreamEvent } from './events.ts';
import type { SessionOptions } from './sessions.ts';
import type { SoapOptions } from './soap-headers.ts';

/** Header names in lower case. */
export type Headers = Readonly<Record<string, string>>;

/** Returns the headers that present a credential for a request; undefined where there is none for its caller. */
type FindCredential = (request: AnyRequest) => Headers | undefined | Promise<Headers | undefined>;

/** How the gateway gets its tokens. */
export interface ClientCredentials {
  /** The token endpoint, `http` or `https`. */
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where the client sends its secret: in HTTP Basic, or in the body. */
  readonly sentIn: 'basic' | 'body';
  /** Further parameters of the request, such as `scope`. */
  readonly parameters: Readonly<Record<string, string>>;
}

export interface UpstreamCredentials {
  readonly find: FindCredential;
  /** What of it stands in the query. */
  readonly inQuery?: (request: AnyRequest) => readonly (readonly [name: string, value: string])[];
  /** Whether they stand for the caller: then a 401 is the caller's. Else it is a fault of the configuration. */
  readonly areOfCaller: boolean;
  /** They are what the caller sent. */
  readonly areForwarded?: boolean;
  /** The gateway gets a token for itself, in addition to what `find` returns. */
  readonly client?: ClientCredentials;
}

/** Where a key is sent: in a header, or at the place that the body of the format has for it. */
type KeyPlace = { readonly header: string } | 'body';

interface UpstreamTimeouts {
  readonly connectMs: number;
  /** From the request to the head of the answer. */
  readonly headersMs: number;
  /** Between two pieces of the answer. */
  readonly bodyMs: number;
  /** For a request with its retries, and its time in the queue. */
  readonly totalMs: number;
}

/** `keep`: callers get them beside the answer. `refuse`: callers get an error that names them. `drop`: only the log names them. */
export type UnknownMembersOption = 'keep' | 'refuse' | 'drop';

export type ServerErrorsOption = 'final' | 'unknown';

/** PEM texts. */
interface UpstreamTls {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly serverName?: string | undefined;
}

export interface UpstreamSetup {
  readonly name: string;
  /** `http` or `https`; its path stands before the addresses of the services. */
  readonly url: string;
  readonly format: NamedProtocol;
  readonly protocols: Protocols;
  /** The name of the response header with the reference that the upstream gives a request. */
  readonly referenceHeader: string;
  /** Absent where the upstream does not deduplicate. */
  readonly key?: KeyPlace | undefined;
  /** The header that carries the key of writes where the upstream does not deduplicate by it, and can be asked for its effect. */
  readonly lookupHeader?: string | undefined;
  /** What an error of the application says of a write: it is the outcome (`final`, the default), or leaves the outcome unknown. */
  readonly serverErrors?: ServerErrorsOption | undefined;
  readonly credentials: UpstreamCredentials;
  readonly timeouts: UpstreamTimeouts;
  readonly tls?: UpstreamTls | undefined;
  /** For SOAP servers with one address: all requests go to the URL itself. */
  readonly isSingleAddress?: boolean | undefined;
  /** Whether requests in SOAP have their bytes in parts of their own (MTOM); where it is absent, the contract decides. */
  readonly mtom?: boolean | undefined;
  /** Absent where requests need no log-in before. */
  readonly session?: SessionOptions | undefined;
  /** What requests in SOAP have beside their message. */
  readonly soap?: SoapOptions | undefined;
  readonly connections: number;
  /** Requests that wait for a connection. */
  readonly queueMax: number;
  /** Absent: 16 MiB in memory, and with values in files as much as the contract of an answer allows. */
  readonly responseBytesMax?: number | undefined;
  /** From which length bytes of answers go to a file; absent where they stay in memory. */
  readonly valueBytesMin?: number | undefined;
  /** What becomes of members of answers that the contract does not have; `keep` by default. */
  readonly unknownMembers?: UnknownMembersOption | undefined;
  readonly clock: Clock;
  readonly report: (event: UpstreamEvent) => void;
}
