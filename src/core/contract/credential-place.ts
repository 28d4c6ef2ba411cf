/** Where an upstream reads the credentials of callers, beside Authorization and X-API-Key: OpenAPI calls these security schemes. */
import { parseBasic } from '../lib/index.ts';

/** `bearer`: the header Authorization, as a token. */
export type CredentialPlace =
  | { readonly in: 'header' | 'query' | 'cookie'; readonly name: string }
  | { readonly in: 'bearer' };

/** The parts of a request in which credentials stand. */
interface Presenting {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Without its question mark. */
  readonly query?: string | undefined;
}

/** What is sent to the upstream instead. */
interface PlacedCredentials {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [name: string, value: string])[];
}

/** What a request presents at the places, in their order; undefined where there is nothing. */
export function presentedAt(places: readonly CredentialPlace[], request: Presenting): readonly (string | undefined)[] {
  return places.map((place) => (place.in === 'bearer' ? undefined : valueAt(place, request)));
}

/**
 * The credentials of a request at the places of its upstream. Where none of them has one, X-API-Key stands for it, or the password of
 * HTTP Basic, which every SOAP stack can send. `takesBasic`: the upstream takes HTTP Basic itself.
 */
export function placeCredentials(
  places: readonly CredentialPlace[],
  takesBasic: boolean,
  request: Presenting,
): PlacedCredentials {
  const { authorization, 'x-api-key': apiKey } = request.headers;
  const own = {
    ...(authorization !== undefined && { authorization }),
    ...(apiKey !== undefined && { 'x-api-key': apiKey }),
  };
  const presented = presentedAt(places, request);
  const isPresented = presented.some((each) => each !== undefined) || /^bearer /i.test(authorization ?? '');
  const substitute = isPresented ? undefined : (apiKey ?? (takesBasic ? undefined : passwordOf(authorization)));
  const headers: Record<string, string> = { ...own };
  const query: [string, string][] = [];
  for (const [at, place] of places.entries()) {
    const value = presented[at] ?? substitute;
    if (value === undefined) continue;
    if (place.in === 'bearer') headers.authorization = `Bearer ${value}`;
    else if (place.in === 'header') headers[place.name.toLowerCase()] = value;
    else if (place.in === 'query') query.push([place.name, value]);
    else headers.cookie = [headers.cookie, `${place.name}=${value}`].filter((each) => each !== undefined).join('; ');
  }
  return { headers, query };
}

function valueAt({ in: location, name }: Exclude<CredentialPlace, { in: 'bearer' }>, request: Presenting) {
  if (location === 'header') return request.headers[name.toLowerCase()];
  if (location === 'query') return new URLSearchParams(request.query ?? '').get(name) ?? undefined;
  const cookies = (request.headers.cookie ?? '').split(';').map((each) => each.trim());
  return cookies.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** A password that a header may hold as it is. */
function passwordOf(authorization = ''): string | undefined {
  const password = parseBasic(authorization)?.password ?? '';
  return /^[\x21-\x7e]+$/.test(password) ? password : undefined;
}
