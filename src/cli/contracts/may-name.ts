/** Decides which servers a document may name. */
import { isIP } from 'node:net';
import { specialRangeOf } from '../../lib/special-addresses.ts';

/** A document of another server may name public addresses, and its own. No document names those of cloud metadata. */
export function mayName(document: string, host: string): boolean {
  const use = useOf(host);
  if (use === undefined) return true;
  if (use === 'metadata' || use === 'reserved') return false;
  if (!URL.canParse(document) || !/^https?:/i.test(document)) return true;
  const own = new URL(document).hostname;
  return own === host || useOf(own) === use;
}

/** What an address is for, where it is none of the public network. */
export function useOf(host: string): ReturnType<typeof useOfAddress> {
  const plain = host.replace(/^\[|\]$/g, '');
  if (plain === 'localhost' || plain.endsWith('.localhost')) return 'loopback';
  return isIP(plain) === 0 ? undefined : useOfAddress(plain);
}

function useOfAddress(address: string) {
  return specialRangeOf(address)?.use;
}
