/** Detects the kind of a document that is given to an import. */

type Kind = 'wsdl' | 'openapi';

/** What a text begins with, or has among its first members, and what it is then. The first one that fits counts. */
const kinds: readonly (readonly [pattern: RegExp, description: string, kind?: Kind])[] = [
  [/^\s*$/, 'is empty'],
  [
    /^\s*\{[\s\S]*?"(?:openapi"\s*:\s*"?3|swagger"\s*:\s*"?2)|^["']?(?:openapi["']?\s*:\s*["']?3|swagger["']?\s*:\s*["']?2)/m,
    'is an OpenAPI document: give it to --openapi',
    'openapi',
  ],
  [/^\s*#%RAML/, 'is a document of RAML, which is not read: convert it to OpenAPI'],
  [/^FORMAT: *1A/m, 'is a document of API Blueprint, which is not read: convert it to OpenAPI'],
  [
    /"_postman_id"\s*:|"schema"\s*:\s*"https:\/\/schema\.getpostman/,
    'is a collection of Postman, which is not read: convert it to OpenAPI',
  ],
  [/^[\s{]*["']?asyncapi["']?\s*:/, 'is a document of AsyncAPI, which is not read'],
  [/"swaggerVersion"\s*:|^swaggerVersion\s*:/m, 'is a document of Swagger 1, which is not read: convert it to OpenAPI'],
  [/<(?:[\w.-]+:)?definitions[\s>]/, 'is a WSDL: give it to --wsdl', 'wsdl'],
  [/<(?:[\w.-]+:)?description\s[^>]*w3\.org\/ns\/wsdl/, 'is a WSDL 2.0, of which only version 1.1 is read'],
  [/<(?:[\w.-]+:)?application\s[^>]*wadl/, 'is a WADL, which is not read'],
  [/<(?:[\w.-]+:)?schema[\s>]/, 'is an XML schema: give the WSDL that imports it'],
];

/** How archives of gzip and zip begin. */
const archives: readonly string[] = ['\x1f\x8b', 'PK\x03\x04'];

const shownMax = 20_000;

/** Returns what the text is, to continue a sentence with its name; undefined for what `wanted` may be. */
export function describeOtherKind(text: string, wanted: Kind): string | undefined {
  const start = text.slice(0, shownMax);
  if (archives.some((each) => start.startsWith(each))) return 'is an archive: unpack it';
  const isXml = /^\s*</.test(start);
  const found = kinds.find(([pattern, , kind]) => pattern.test(start) && (kind !== 'openapi' || !isXml));
  return found === undefined || found[2] === wanted ? undefined : found[1];
}
