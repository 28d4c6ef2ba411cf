/** Checks the address of a server that the gateway asks. */

/** Returns what is wrong with the address of an upstream. `allowsQuery`: requests are sent to the address itself. */
export function upstreamUrlHint(text: string, { allowsQuery = false } = {}): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    return 'is no address: give http:// or https:// with a host, like https://erp.example.com/api';
  if (`${url.username}${url.password}` !== '') return 'holds user and password: give them in credentials.basic';
  if (url.hash !== '') return 'has a fragment: leave it out';
  return url.search === '' || allowsQuery ? undefined : 'has a query: leave it out, or give singleAddress, too';
}
