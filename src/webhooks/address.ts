/** Which addresses an endpoint may have. They are set by the one who runs the house, who is trusted not to err on purpose. */
import { BlockList, isIPv4 } from 'node:net';

const charactersMax = 2_000;

/** Where clouds tell a machine its own secrets; only as it is written, for a name may lead anywhere at any time. */
const linkLocal = new BlockList();
linkLocal.addSubnet('169.254.0.0', 16, 'ipv4');
linkLocal.addSubnet('fe80::', 10, 'ipv6');

const isLinkLocal = (host: string): boolean =>
  host.includes(':') ? linkLocal.check(host, 'ipv6') : isIPv4(host) && linkLocal.check(host, 'ipv4');

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));

/** As it is kept, or what to give instead. */
export const parseAddress = (
  given: string,
  environment: 'test' | 'live',
): { readonly url: string } | { readonly mend: string } => {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.href.length > charactersMax)
    return { mend: 'give an address like https://shop.example.com/webhooks' };
  if (`${url.username}${url.password}` !== '')
    return { mend: 'take user and password out: a delivery is known by its signature' };
  if (url.hash !== '') return { mend: 'take the part from # on out: it is not sent' };
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isLinkLocal(host)) return { mend: 'a link-local address is not reached on purpose: name another one' };
  if (url.protocol === 'http:' && environment === 'live' && !isLoopback(host))
    return { mend: 'give its https address: ENVIRONMENT is live, and http is for this machine only' };
  return { url: url.href };
};
