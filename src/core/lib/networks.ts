/** Lists of IP addresses and networks in CIDR notation. */
import { BlockList, isIPv4, isIPv6 } from 'node:net';

export interface Networks {
  /** Whether the list has an entry. */
  readonly any: boolean;
  includes(address: string): boolean;
}

/** Parses addresses and CIDR networks, separated by commas or blanks. Returns undefined for any other text. */
export function parseNetworks(text: string): Networks | undefined {
  const list = new BlockList();
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '');
  for (const entry of entries) if (!addEntry(list, entry)) return undefined;
  const includes = (address: string): boolean => {
    const plain = plainAddress(address);
    return isIPv4(plain) ? list.check(plain, 'ipv4') : isIPv6(plain) && list.check(plain, 'ipv6');
  };
  return Object.freeze({ any: entries.length > 0, includes });
}

/** Returns the IPv4 address of a mapped IPv6 address (`::ffff:10.0.0.1`), and any other address unchanged. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}

function addEntry(list: BlockList, entry: string): boolean {
  const [address = '', prefix, ...rest] = entry.split('/');
  const family = isIPv4(address) ? 'ipv4' : isIPv6(address) ? 'ipv6' : undefined;
  if (family === undefined || rest.length > 0) return false;
  if (prefix === undefined) {
    list.addAddress(address, family);
    return true;
  }
  const bits = /^\d{1,3}$/.test(prefix) ? Number(prefix) : 0;
  if (bits < 1 || bits > (family === 'ipv4' ? 32 : 128)) return false;
  list.addSubnet(address, bits, family);
  return true;
}

/** The part of an address that one caller has to itself: an IPv4 address, or the /64 network of an IPv6 address. */
export function addressGroup(from: string): string {
  const address = plainAddress(from);
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.toLowerCase().split('::', 2);
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  const groups = [...left, ...zeros, ...right].slice(0, 4);
  return `${groups.map((group) => group.replace(/^0+(?=.)/, '')).join(':')}::`;
}
