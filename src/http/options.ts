/** Options of the HTTP server for callers: addresses, proxies and limits. */
import type { Networks } from '../core/lib/index.ts';

/** Where browsers must use HTTPS only. */
export interface StrictTransportOptions {
  readonly trustedProxies: Networks;
  /** The value of the header Strict-Transport-Security. When absent, it is not sent. */
  readonly strictTransportSecurity: string | undefined;
  readonly adminTls: boolean;
  readonly adminHost: string;
  readonly adminHosts: readonly string[];
}

export interface HttpOptions extends StrictTransportOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** The origin in served documents. If it is absent, the Host header of the request decides. */
  readonly publicUrl: string | undefined;
  /** In lower case: where trusted proxies name the client certificate of a caller. */
  readonly clientCertificateHeader?: string | undefined;
  /** Absent: as much as each contract needs. */
  readonly bodyBytesMax: number | undefined;
  /** Of all bodies above 64 KiB whose requests are handled at once. */
  readonly largeBodiesBytesMax: number;
  readonly headerBytesMax: number;
  readonly headersMax: number;
  readonly headersMsMax: number;
  /** For head and body. */
  readonly requestMsMax: number;
  /** For a caller to read a response. */
  readonly writeMsMax: number;
  readonly keepAliveMs: number;
  readonly connectionsMax: number;
  /** Of one address, those of trusted proxies apart; 0 is unlimited. */
  readonly connectionsPerAddressMax: number;
  readonly requestsPerSocketMax: number;
  /** Between the announcement of a drain on the admin port and its start. */
  readonly drainNoticeMs: number;
  readonly drainMsMax: number;
}
