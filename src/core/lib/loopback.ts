/** Loopback addresses: those that lead to this machine. */
import { isIPv4 } from 'node:net';

/** Whether requests to the address would cross a network in the clear. */
export function isPlainAddress(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !isLoopback(hostname);
}

/** Also accepts a host as a URL has it, with an IPv6 address in brackets. */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '');
  return address === 'localhost' || address === '::1' || (isIPv4(address) && address.startsWith('127.'));
}
