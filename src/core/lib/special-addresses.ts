/** The special ranges of IP addresses: those that no public server has. */
import { BlockList, isIPv4, isIPv6 } from 'node:net';

interface SpecialRange {
  /** In CIDR notation. */
  readonly network: string;
  readonly name: string;
  /** `metadata`: cloud platforms serve a machine's own secrets there. `reserved`: no server inside a network has such an address either. */
  readonly use: 'loopback' | 'private' | 'metadata' | 'reserved';
}

/**
 * Returns the narrowest special range that an address is in. An IPv6 address that leads to an IPv4 address (mapped, or by NAT64) is
 * judged by that address. Returns undefined for a public address, and for a text that is no address. Ignores the zone of an address.
 */
export function specialRangeOf(address: string): SpecialRange | undefined {
  const [plain = ''] = address.split('%', 1);
  if (isIPv4(plain)) return ipv4Ranges.find(({ list }) => list.check(plain, 'ipv4'));
  if (!isIPv6(plain)) return undefined;
  if (leadingToIpv4.check(plain, 'ipv6')) return ipv4Ranges.find(({ list }) => list.check(plain, 'ipv6'));
  const range = ipv6Ranges.find(({ list }) => list.check(plain, 'ipv6'));
  return range ?? (globalUnicast.check(plain, 'ipv6') ? undefined : unassigned);
}

type Row = readonly [network: string, name: string, use?: SpecialRange['use']];

/**
 * The ranges of the IANA IPv4 Special-Purpose Address Registry as of 2025-10-09, those that are globally reachable included: no
 * server with content has them. Multicast is from RFC 5771. A range stands before one that contains it.
 */
const ipv4Rows: readonly Row[] = [
  ['100.100.100.200/32', 'Metadata of Alibaba Cloud', 'metadata'],
  ['168.63.129.16/32', 'Metadata of Azure', 'metadata'],
  ['0.0.0.0/8', 'This network'],
  ['10.0.0.0/8', 'Private use', 'private'],
  ['100.64.0.0/10', 'Shared address space'],
  ['127.0.0.0/8', 'Loopback', 'loopback'],
  // Most cloud platforms have their metadata at 169.254.169.254.
  ['169.254.0.0/16', 'Link-local'],
  ['172.16.0.0/12', 'Private use', 'private'],
  ['192.0.0.0/24', 'IETF protocol assignments'],
  ['192.0.2.0/24', 'Documentation (TEST-NET-1)'],
  ['192.31.196.0/24', 'AS112-v4'],
  ['192.52.193.0/24', 'AMT'],
  ['192.88.99.0/24', '6to4 relay anycast'],
  ['192.168.0.0/16', 'Private use', 'private'],
  ['192.175.48.0/24', 'Direct delegation AS112 service'],
  ['198.18.0.0/15', 'Benchmarking'],
  ['198.51.100.0/24', 'Documentation (TEST-NET-2)'],
  ['203.0.113.0/24', 'Documentation (TEST-NET-3)'],
  ['224.0.0.0/4', 'Multicast'],
  ['255.255.255.255/32', 'Limited broadcast'],
  ['240.0.0.0/4', 'Reserved'],
];

/**
 * The ranges of the IANA IPv6 Special-Purpose Address Registry as of 2025-10-09, and those of RFC 4291 and RFC 3879. Forms that hide
 * an IPv4 address in a way that depends on the network, or that no server uses any more, are ranges like the others.
 */
const ipv6Rows: readonly Row[] = [
  ['fd00:ec2::/32', 'Metadata of Amazon', 'metadata'],
  ['fd20:ce::254/128', 'Metadata of Google', 'metadata'],
  ['::1/128', 'Loopback', 'loopback'],
  ['::/128', 'Unspecified'],
  ['::/96', 'IPv4-compatible'],
  ['::ffff:0:0:0/96', 'IPv4-translated (RFC 2765)'],
  ['64:ff9b:1::/48', 'NAT64 of a network (RFC 8215)'],
  ['100::/64', 'Discard-only'],
  ['100:0:0:1::/64', 'Dummy prefix (RFC 9780)'],
  ['2001::/32', 'Teredo'],
  ['2001:2::/48', 'Benchmarking'],
  ['2001:10::/28', 'ORCHID'],
  ['2001:20::/28', 'ORCHIDv2'],
  ['2001:30::/28', 'Drone remote identification'],
  ['2001::/23', 'IETF protocol assignments'],
  ['2001:db8::/32', 'Documentation'],
  ['2002::/16', '6to4'],
  ['2620:4f:8000::/48', 'Direct delegation AS112 service'],
  ['3fff::/20', 'Documentation (RFC 9637)'],
  ['5f00::/16', 'Segment routing (RFC 9602)'],
  ['fc00::/7', 'Unique local', 'private'],
  ['fe80::/10', 'Link-local'],
  ['fec0::/10', 'Site-local'],
  ['ff00::/8', 'Multicast'],
];

/** RFC 4291, section 2.4: nothing else is assigned to servers. */
const globalUnicast = listOf(['2000::/3']);
const unassigned: SpecialRange = Object.freeze({
  network: '::/0',
  name: 'Outside of global unicast (2000::/3)',
  use: 'reserved',
});

const nat64 = '64:ff9b::';
/** `BlockList` finds the ranges of mapped addresses by itself. Those of NAT64 (RFC 6052) are listed with each range. */
const leadingToIpv4 = listOf(['::ffff:0:0/96', `${nat64}/96`]);

const ipv4Ranges = ipv4Rows.map((row) => {
  const [address, bits] = row[0].split('/');
  return rangeOf(row, [row[0], `${nat64}${address}/${96 + Number(bits)}`]);
});
const ipv6Ranges = ipv6Rows.map((row) => rangeOf(row, [row[0]]));

function rangeOf([network, name, use = 'reserved']: Row, networks: readonly string[]) {
  return { network, name, use, list: listOf(networks) };
}

/** `networks`: in CIDR notation. */
export function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), isIPv4(address) ? 'ipv4' : 'ipv6');
  }
  return list;
}
