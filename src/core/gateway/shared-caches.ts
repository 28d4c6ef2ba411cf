/** What caches are told of an answer that its server lets them keep. */

import type { AnyCaller } from '../contract/index.ts';
import type { Target } from '../formats/index.ts';
import { isAnonymous } from './authentication.ts';

type Headers = Readonly<Record<string, string>>;

/** What is known of a request: nothing of its caller where it was refused before. */
interface Asked {
  readonly caller: AnyCaller | undefined;
  readonly target: Target | undefined;
}

/** What decides about the answer at the own path of an operation, beside the credentials: its format. */
const ofFormat = ['Accept', 'Content-Type'];

/**
 * Returns the headers of an answer, with what keeps a shared cache from giving it to another caller. `headers`: with the names of the
 * server in lower case.
 */
export function forSharedCaches(headers: Headers, { caller, target }: Asked): Headers {
  const { 'cache-control': control, vary } = headers;
  // Without it the answer is not stored at all.
  if (control === undefined) return headers;
  return { ...headers, 'cache-control': controlFor(control, caller), vary: varyFor(vary, target) };
}

function varyFor(vary: string | undefined, target: Asked['target']): string {
  const places = target?.service.credentials?.places ?? [];
  const parameters = Object.values(target?.operation?.upstream?.parameters ?? {});
  const named = [
    ...(vary?.split(',') ?? []),
    ...ofFormat,
    ...['Authorization', 'X-API-Key'],
    ...places.flatMap((place) => (place.in === 'header' ? [place.name] : [])),
    ...([...places, ...parameters].some((each) => each.in === 'cookie') ? ['Cookie'] : []),
  ].map((each) => each.trim());
  const byName = new Map(named.toReversed().map((each) => [each.toLowerCase(), each]));
  return byName.has('*') ? '*' : [...byName.values()].toReversed().join(', ');
}

/** A server that gets the credential of the caller may say who else may have the answer. Any other does not know whose request it is. */
function controlFor(control: string, caller: Asked['caller']): string {
  if (caller === undefined || isAnonymous(caller)) return control;
  const directives = control.split(',').map((each) => each.trim());
  const isForOne = (each: string): boolean => /^(?:private|no-store)$/i.test(each);
  const isForMany = (each: string): boolean => /^(?:public|s-maxage=.*|proxy-revalidate)$/i.test(each);
  if (directives.some(isForOne) || ('rights' in caller && directives.some(isForMany))) return control;
  return ['private', ...directives.filter((each) => !isForMany(each))].join(', ');
}
