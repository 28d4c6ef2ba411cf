/** Tells which paths belong to the services of a gateway, so that another server can answer all others. */
import type { Service } from '../contract/service.ts';
import { openApisOf } from './index.ts';

/** Returns a function that takes a path without its query. */
export function ownedPaths(services: readonly Service[]): (path: string) => boolean {
  const documents = new Set(openApisOf(services).map(({ path }) => path));
  const addresses = services.flatMap(({ address, legacy = {} }) => [address, legacy.soap, legacy.adapter, legacy.wsdl]);
  const prefixes = addresses.filter((each) => each !== undefined);
  return (path) => documents.has(path) || prefixes.some((each) => path === each || path.startsWith(`${each}/`));
}
