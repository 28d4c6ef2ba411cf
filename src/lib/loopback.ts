/** Loopback addresses: those that lead to this machine. */
import { isIPv4 } from 'node:net';

/** Also accepts a host as a URL has it, with an IPv6 address in brackets. */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '');
  return address === 'localhost' || address === '::1' || (isIPv4(address) && address.startsWith('127.'));
}
