/** Addresses to which no webhook is sent: special ranges, except those inside the operator's own network. */
import { type LookupAddress, lookup as resolveName } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { specialRangeOf } from './special-addresses.ts';

/** Endpoints may be on this machine and inside the network. A text that is no address is forbidden. */
export function isForbiddenAddress(address: string): boolean {
  if (isIP(address) === 0) return true;
  const use = specialRangeOf(address)?.use;
  switch (use) {
    case undefined:
    case 'loopback':
    case 'private':
      return false;
    case 'metadata':
    case 'reserved':
      return true;
    default:
      return use satisfies never;
  }
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
  return Object.assign(new Error('the address is in a special range'), { code: 'ADDRESS_NOT_ALLOWED' });
}
