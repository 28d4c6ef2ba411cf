/** Names the client of a request by its headers: short, printable, and without what differs from request to request. */
import { isFormat, wireFormats } from '../../core/formats/index.ts';
import { BoundedMap } from '../../core/lib/index.ts';

type Headers = Readonly<Record<string, string | undefined>>;

/** The headers in which libraries name themselves, and their versions. */
type LibraryHeaders = readonly [name: string, version: string];

const usualLibraryHeaders: readonly LibraryHeaders[] = [
  ['x-sdk-name', 'x-sdk-version'],
  ['x-client-name', 'x-client-version'],
  ['x-library-name', 'x-library-version'],
  ['x-stainless-lang', 'x-stainless-package-version'],
];

/** Clients have few names: each is made once. */
const knownMax = 1_000;
/** Characters of the headers that are looked at. */
const readMax = 256;
const nameMax = 100;

/** The name of a client that gives none. */
export const unnamedClient = 'unnamed';

type NameClient = (headers: Headers, format: string) => string;

/** Returns a function that names clients, as `PHP-SOAP/8.2.7, SOAPAction quoted`. */
export function createNameClient(libraryHeaders: readonly LibraryHeaders[] = []): NameClient {
  const pairs = [...usualLibraryHeaders, ...libraryHeaders];
  const known = new BoundedMap<string, ClientNames>(knownMax);
  return (headers, format) => {
    let given = headers['user-agent'] ?? '';
    for (const [name, version] of pairs) {
      const library = headers[name];
      if (library !== undefined) given += ` ${library}/${headers[version] ?? ''}`;
    }
    let names = known.get(given);
    if (names === undefined) {
      names = { plain: clean(given) || unnamedClient, styled: new Map() };
      if (given.length <= readMax) known.set(given, names);
    }
    const style = isFormat(format) ? wireFormats[format].clientStyle?.(headers) : undefined;
    if (style === undefined) return names.plain;
    let styled = names.styled.get(style);
    if (styled === undefined) {
      styled = `${names.plain}, ${style}`;
      names.styled.set(style, styled);
    }
    return styled;
  };
}

interface ClientNames {
  readonly plain: string;
  /** Names with a peculiarity in the headers of one format. */
  readonly styled: Map<string, string>;
}

/** Long numbers may be card numbers; long identifiers belong to one session or request. */
function clean(given: string): string {
  return given
    .slice(0, readMax)
    .replace(/[^\x20-\x7e]/g, ' ')
    .replace(/\d(?:[ -]?\d){11,}/g, '[digits]')
    .replace(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|\b(?=\w*\d)\w{20,}/gi, '[id]')
    .replace(/ +/g, ' ')
    .trim()
    .slice(0, nameMax)
    .trim();
}
