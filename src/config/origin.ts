/** The address of a server, as a caller on this machine would write it. */
export function origin(host: string, port: number, scheme = 'http'): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `${scheme}://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
