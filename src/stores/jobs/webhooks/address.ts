/** Checks the URL of a webhook endpoint. Operators enter it; the checks find mistakes, not attacks. */
import { isIP } from 'node:net';
import { isForbiddenAddress, isLoopback } from '../../../core/lib/index.ts';

const charactersMax = 2_000;

/** Returns the URL in its normal form, or a hint how to correct it. */
export function parseEndpointUrl(
  text: string,
  environment: 'test' | 'live',
): { readonly url: string } | { readonly hint: string } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.href.length > charactersMax)
    return { hint: 'give an address like https://shop.example.com/webhooks' };
  if (`${url.username}${url.password}` !== '')
    return { hint: 'take user and password out: the signature of a delivery shows who sent it' };
  if (url.hash !== '') return { hint: 'take the part from # on out: it is not sent' };
  // A name is checked when it is resolved for a connection.
  if (isForbiddenHost(url.hostname))
    return { hint: 'name another address: special ranges are not allowed, such as link-local ones and cloud metadata' };
  if (url.protocol === 'http:' && environment === 'live' && !isLoopback(url.hostname))
    return { hint: 'give its https address: ENVIRONMENT is live, and http is for this machine only' };
  return { url: url.href };
}

/** Accepts a host as a URL has it, with an IPv6 address in brackets. A name is none: its addresses are checked. */
export function isForbiddenHost(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  return isIP(address) !== 0 && isForbiddenAddress(address);
}
