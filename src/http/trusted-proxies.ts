/** Trusted proxies: the addresses and networks whose forwarding headers are believed. */
import { parseNetworks } from '../lib/networks.ts';

export interface TrustedProxies {
  /** Whether the list has an entry. */
  readonly any: boolean;
  trusts(address: string): boolean;
}

/** Parses addresses and CIDR networks, separated by commas or blanks. Returns undefined for any other text. */
export function parseTrustedProxies(text: string): TrustedProxies | undefined {
  const networks = parseNetworks(text);
  return networks && Object.freeze({ any: networks.any, trusts: networks.includes });
}
