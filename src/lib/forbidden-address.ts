/** Addresses to which no webhook is sent: link-local ones and those of cloud metadata, in every form that leads to them. */
import { type LookupAddress, lookup as resolveName } from 'node:dns';
import { BlockList, isIPv4, isIPv6, type LookupFunction } from 'node:net';

/** Cloud platforms serve a machine's own secrets there. Private addresses are not among them: endpoints may be in the network. */
const forbiddenIpv4 = [
  ['169.254.0.0', 16],
  // Alibaba Cloud, and Azure.
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
] as const;

const forbiddenIpv6 = [
  ['fe80::', 10],
  // Amazon and Google have their metadata at unique local addresses.
  ['fd00:ec2::', 32],
  ['fd20:ce::254', 128],
  // Teredo hides the IPv4 address of a host; no endpoint has such an address.
  ['2001::', 32],
] as const;

/** The IPv4 address is at the end: compatible, translated (RFC 2765), and NAT64 (RFC 6052, RFC 8215). Mapped ones, BlockList knows. */
const embeddingPrefixes = ['::', '::ffff:0:', '64:ff9b::', '64:ff9b:1::'];

const forbidden = createList();

export function isForbiddenAddress(address: string): boolean {
  return isIPv4(address) ? forbidden.check(address, 'ipv4') : isIPv6(address) && forbidden.check(address, 'ipv6');
}

/** Resolves with all addresses of a name. */
type Resolve = (
  hostname: string,
  options: { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

interface LookupParts {
  readonly resolve: Resolve;
  readonly isForbidden: (address: string) => boolean;
}

/** Returns a `lookup` for connections: they are made to the addresses that it has checked, and no name is resolved twice. */
export function createLookup({ resolve, isForbidden }: LookupParts): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, []);
      const addresses = found.filter(({ address }) => !isForbidden(address));
      const [first] = addresses;
      if (first === undefined) return callback(forbiddenError(), []);
      if (options.all === true) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
  };
}

export const lookupAllowed = createLookup({ resolve: resolveName, isForbidden: isForbiddenAddress });

export function forbiddenError(): NodeJS.ErrnoException {
  return Object.assign(new Error('the address is link-local or of cloud metadata'), { code: 'ADDRESS_NOT_ALLOWED' });
}

function createList(): BlockList {
  const list = new BlockList();
  for (const [network, bits] of forbiddenIpv6) list.addSubnet(network, bits, 'ipv6');
  for (const [network, bits] of forbiddenIpv4) {
    list.addSubnet(network, bits, 'ipv4');
    for (const prefix of embeddingPrefixes) list.addSubnet(`${prefix}${network}`, 96 + bits, 'ipv6');
    // 6to4 has it after the first 16 bits (RFC 3056).
    const [high, low] = hexGroups(network);
    list.addSubnet(`2002:${high}:${low}::`, 16 + bits, 'ipv6');
  }
  return list;
}

function hexGroups(ipv4: string): readonly [string, string] {
  const [a = 0, b = 0, c = 0, d = 0] = ipv4.split('.').map(Number);
  return [(a * 256 + b).toString(16), (c * 256 + d).toString(16)];
}
