/** The part of an address that one caller has to itself: an IPv4 address, or the /64 network of an IPv6 address. */
import { plainAddress } from '../../lib/networks.ts';

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
