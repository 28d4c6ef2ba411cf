/** Failures of requests to an upstream: why, and whether the upstream may have received the request. */
import { errorCode } from '../core/lib/index.ts';

/** Whether the upstream, or the way to it, is at fault: for every request, or perhaps for the one that failed only. */
type Outage = 'connection' | 'request' | undefined;

/** What each reason says of the upstream. */
const outages = Object.freeze({
  // Nothing was sent, or nothing was done. The limit of one caller may be no limit of others.
  refused: 'connection',
  dns: 'connection',
  tls: 'connection',
  connectTimeout: 'connection',
  unreachable: 'connection',
  queueFull: undefined,
  queueTimeout: undefined,
  circuitOpen: undefined,
  closed: undefined,
  invalidRequest: undefined,
  notPrepared: undefined,
  busy: undefined,
  // The request was sent.
  reset: 'request',
  headersTimeout: 'request',
  bodyTimeout: 'request',
  totalTimeout: 'request',
  truncated: 'request',
  tooLarge: undefined,
  spoolFull: undefined,
  notHttp: 'request',
  redirect: undefined,
  encoding: undefined,
  contentType: undefined,
  charset: undefined,
  notInFormat: undefined,
  contract: undefined,
  inProgress: undefined,
  serverError: undefined,
  gatewayError: undefined,
  proxyError: 'request',
  unauthorized: undefined,
  sessionEnded: undefined,
} as const satisfies Readonly<Record<string, Outage>>);

/** In logs and metrics. */
export type FailureReason = keyof typeof outages;

/** How far a request has come. */
type Progress =
  /** Nothing of it has reached the upstream, or the upstream has answered that it did nothing. */
  | 'notSent'
  /** It was sent, and the upstream has done nothing: it may not be sent again as it is. */
  | 'notDone'
  /** The upstream may have had the effect. */
  | 'unknown';

export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure';
  readonly reason: FailureReason;
  readonly progress: Progress;
  /** An error code of the system, or a status. */
  readonly detail: string;
  /** How long the upstream asks to wait. */
  readonly retryAfterSeconds: number | undefined;
  /** Whether the upstream had begun an answer of success. */
  readonly isSuccess: boolean;

  constructor(
    reason: FailureReason,
    progress: Progress,
    {
      detail = '',
      cause,
      retryAfterSeconds,
      isSuccess = false,
    }: { detail?: string; cause?: unknown; retryAfterSeconds?: number | undefined; isSuccess?: boolean } = {},
  ) {
    super(detail === '' ? reason : `${reason} (${detail})`, { cause });
    this.reason = reason;
    this.progress = progress;
    this.detail = detail;
    this.retryAfterSeconds = retryAfterSeconds;
    this.isSuccess = isSuccess;
  }
}

/** What a failure says of the upstream. */
export function outageOf({ reason }: UpstreamFailure): Outage {
  return outages[reason];
}

/** What the connection had seen of the exchange when it failed. */
interface Seen {
  readonly isStarted: boolean;
  readonly hasHead: boolean;
  /** Of the answer; 0 without a head. */
  readonly status?: number;
}

/** Classifies an error of the connection. */
export function failureOf(thrown: unknown, { isStarted, hasHead, status = 0 }: Seen): UpstreamFailure {
  if (thrown instanceof UpstreamFailure) return thrown;
  const code = errorCode(thrown);
  const details = { detail: code, cause: thrown, isSuccess: status >= 200 && status < 300 };
  if (!isStarted) return new UpstreamFailure(reasonBefore(code), 'notSent', details);
  // With TLS 1.3 a server refuses the certificate of the client after the client has begun to write.
  if (!hasHead && certificateAlert.test(code)) return new UpstreamFailure('tls', 'notSent', details);
  return new UpstreamFailure(reasonAfter(code, hasHead), 'unknown', details);
}

const certificateAlert = /^ERR_SSL_.*ALERT.*(?:CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED|HANDSHAKE_FAILURE)/;
const tlsCodes = /^ERR_TLS|^ERR_SSL|^EPROTO$|CERT|^UNABLE_TO|^HOSTNAME_MISMATCH$|^INVALID_CA$|^PATH_LENGTH|_CHAIN/;

function reasonBefore(code: string): FailureReason {
  if (code === 'ECONNREFUSED') return 'refused';
  if (code === 'ENOTFOUND' || code.startsWith('EAI_')) return 'dns';
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') return 'connectTimeout';
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') return 'closed';
  if (code === 'UND_ERR_INVALID_ARG') return 'invalidRequest';
  return tlsCodes.test(code) ? 'tls' : 'unreachable';
}

const reasonsAfter: Readonly<Record<string, FailureReason>> = {
  UND_ERR_HEADERS_TIMEOUT: 'headersTimeout',
  UND_ERR_BODY_TIMEOUT: 'bodyTimeout',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'truncated',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'tooLarge',
  UND_ERR_HEADERS_OVERFLOW: 'notHttp',
};

function reasonAfter(code: string, hasHead: boolean): FailureReason {
  const known = Object.hasOwn(reasonsAfter, code) ? reasonsAfter[code] : undefined;
  if (known !== undefined || hasHead) return known ?? 'truncated';
  return code.startsWith('HPE_') || code === 'HTTPParserError' ? 'notHttp' : 'reset';
}

/** Returns the failure that an error is, or has as a cause. */
export function failureIn(thrown: unknown): UpstreamFailure | undefined {
  for (let each = thrown; each instanceof Error; each = each.cause) if (each instanceof UpstreamFailure) return each;
  return undefined;
}
