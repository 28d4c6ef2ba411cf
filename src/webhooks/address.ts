/** Checks the URL of a webhook endpoint. Operators enter it; the checks find mistakes, not attacks. */
import { BlockList, isIPv4 } from 'node:net';
import { isLoopback } from '../lib/loopback.ts';

const charactersMax = 2_000;

/** Cloud platforms serve a machine's own secrets there. Host names are not resolved: they may lead anywhere at any time. */
const linkLocal = new BlockList();
linkLocal.addSubnet('169.254.0.0', 16, 'ipv4');
linkLocal.addSubnet('fe80::', 10, 'ipv6');

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
  if (isLinkLocal(url.hostname)) return { hint: 'name another address: link-local addresses are not allowed' };
  if (url.protocol === 'http:' && environment === 'live' && !isLoopback(url.hostname))
    return { hint: 'give its https address: ENVIRONMENT is live, and http is for this machine only' };
  return { url: url.href };
}

function isLinkLocal(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return host.includes(':') ? linkLocal.check(host, 'ipv6') : isIPv4(host) && linkLocal.check(host, 'ipv4');
}
