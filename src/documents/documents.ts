/** The documents that callers download: found by address, composed once, with the origin of the request put in. */
import { createHash } from 'node:crypto';
import { parseAddress, resourceAddress, serviceAddress, unversionedAddress } from '../contract/address.ts';
import { contractOf, type Service } from '../contract/operation.ts';
import type { ResourceService } from '../contract/resource.ts';
import type { Namespace } from '../contract/schema.ts';
import { escapeAttribute } from './document.ts';
import type { JsonSchema } from './json-schema.ts';
import { deriveOpenApi } from './openapi.ts';
import { type Printer, referencePages } from './reference.ts';
import { deriveResourceOpenApi } from './resource-openapi.ts';
import { type ResourcePrinter, resourceReferencePages } from './resource-reference.ts';
import { deriveWsdl } from './wsdl.ts';
import { deriveXsd } from './xsd.ts';

export interface Document {
  /** Media type with charset. */
  readonly contentType: string;
  readonly body: string;
  /** Strong, quotes included. */
  readonly etag: string;
}

export interface Documents {
  /**
   * `path` without its query; `query` without its question mark; `origin` like `https://pay.example.com`.
   * Undefined where there is no document.
   */
  find(path: string, query: string, origin: string): Document | undefined;
}

export interface CommittedDocument {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
}

const xmlType = 'text/xml; charset=utf-8';
const jsonType = 'application/json; charset=utf-8';

/** Origins come with the request's host, which anyone can make up: what is kept of them is bounded. */
const keptMax = 200;

const neutralOrigin = 'https://gateway.example';

/** Stands in a composed document where the address of the service goes; nothing in it needs escaping. */
const placeholder = 'urn:address-of-the-service';

/** Where SOAP stacks of long ago look for the WSDL. */
const filePattern = /^\/pal\/([A-Za-z]{1,40})\.wsdl$/;

type Fill = (address: string) => string;

/** An XML document with room for the address. */
const template = (text: string): Fill => {
  const parts = text.split(placeholder);
  return (address) => parts.join(escapeAttribute(address));
};

/** What a service can be asked for: `wsdl`, and `xsd=recurring` and so on. */
type Drawn = ReadonlyMap<string, Fill>;

const draw = (service: Service): Drawn =>
  new Map([
    ['wsdl', template(deriveWsdl(service, { address: placeholder }))],
    ...[...deriveXsd(service, (other) => `${placeholder}?xsd=${other}`)].map(
      ([namespace, text]) => [`xsd=${namespace}`, template(text)] as const,
    ),
  ]);

/** Makes once what it is asked for. */
const made = <K, V>(make: (of: K) => V): ((of: K) => V) => {
  const all = new Map<K, V>();
  return (of) => {
    const value = all.get(of) ?? make(of);
    all.set(of, value);
    return value;
  };
};

/** What the query asks for: names in any case, as WSDL tools write them. */
const asked = (query: string): string | undefined => {
  for (const [name, value] of new URLSearchParams(query)) {
    const lower = name.toLowerCase();
    if (lower === 'wsdl' || lower === 'singlewsdl') return 'wsdl';
    if (lower === 'xsd') return `xsd=${value.toLowerCase()}`;
  }
  return undefined;
};

interface Found {
  readonly service: Service;
  readonly address: string;
  readonly query: string;
}

const locate = (services: readonly Service[], path: string, query: string): Found | undefined => {
  const file = filePattern.exec(path)?.[1];
  const named = file === undefined ? parseAddress(path) : { name: file, version: undefined, operation: undefined };
  if (named === undefined || named.operation !== undefined) return undefined;
  const { name, version } = named;
  const service = contractOf(services, name, version);
  if (service === undefined) return undefined;
  const address = version === undefined ? unversionedAddress(service) : serviceAddress(service, version);
  return { service, address, query: file === undefined ? query : 'wsdl' };
};

const document = (contentType: string, body: string): Document =>
  Object.freeze({ contentType, body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` });

const printJson = (value: JsonSchema): string => `${JSON.stringify(value, null, 2)}\n`;

/**
 * WSDL and schemas of each service at its own path with `?wsdl` or `?xsd=`, OpenAPI at `/openapi.json`, and that of resources at their address.
 * They are derived when somebody first asks: few do, and a server that idles need not hold them.
 */
export const documentsOf = (services: readonly Service[], resources: readonly ResourceService[] = []): Documents => {
  const drawn = made(draw);
  const openApi = made((all: readonly Service[]) => deriveOpenApi(all, ''));
  const resourceOpenApi = made((service: ResourceService) => deriveResourceOpenApi(service, ''));
  const byPath = new Map(resources.map((service) => [`${service.address}/openapi.json`, service]));
  const kept = new Map<string, Document>();

  const keep = (key: string, make: () => Document): Document => {
    const known = kept.get(key);
    if (known !== undefined) return known;
    if (kept.size >= keptMax) kept.clear();
    const made = make();
    kept.set(key, made);
    return made;
  };

  return Object.freeze<Documents>({
    find(path, query, origin) {
      if (path === '/openapi.json') {
        const servers = [{ url: origin }];
        return keep(`openapi ${origin}`, () => document(jsonType, printJson({ ...openApi(services), servers })));
      }
      const ofResources = byPath.get(path);
      if (ofResources !== undefined) {
        const servers = [{ url: origin + resourceAddress(ofResources) }];
        return keep(`${path} ${origin}`, () =>
          document(jsonType, printJson({ ...resourceOpenApi(ofResources), servers })),
        );
      }
      const found = locate(services, path, query);
      if (found === undefined) return undefined;
      const what = asked(found.query) ?? '';
      const fill = drawn(found.service).get(what);
      if (fill === undefined) return undefined;
      const address = origin + found.address;
      return keep(`${what} ${address}`, () => document(xmlType, fill(address)));
    },
  });
};

/** Services of resources, and what prints their examples. */
export type Resources =
  | { readonly services: readonly []; readonly printer: undefined }
  | { readonly services: readonly ResourceService[]; readonly printer: ResourcePrinter };

/** `BalancePlatform` to `balance-platform`. */
const fileOf = ({ name }: ResourceService): string => name.replace(/(?<!^)[A-Z]/g, '-$&').toLowerCase();

const committedOfResources = ({ services, printer }: Resources): readonly CommittedDocument[] =>
  printer === undefined
    ? []
    : services.flatMap((service) => [
        { path: `openapi-${fileOf(service)}.json`, text: printJson(deriveResourceOpenApi(service, neutralOrigin)) },
        ...resourceReferencePages(service, printer).map(({ file, text }) => ({
          path: `docs/reference/${fileOf(service)}/${file}`,
          text,
        })),
      ]);

/** The documents as the repository keeps them, with an address that is nobody's; `printers` make the examples. */
export const committedDocuments = (
  services: readonly Service[],
  printers: readonly Printer[],
  resources: Resources = { services: [], printer: undefined },
): readonly CommittedDocument[] => [
  ...services.flatMap((service) => {
    const address = neutralOrigin + serviceAddress(service);
    const title = `${service.name}-v${service.version}`;
    const file = (namespace: Namespace) => `${title}-${namespace}.xsd`;
    return [
      { path: `wsdl/${title}.wsdl`, text: deriveWsdl(service, { address }) },
      ...[...deriveXsd(service, file)].map(([namespace, text]) => ({ path: `wsdl/${file(namespace)}`, text })),
    ];
  }),
  { path: 'openapi.json', text: printJson(deriveOpenApi(services, neutralOrigin)) },
  ...referencePages(services, printers).map(({ file, text }) => ({ path: `docs/reference/${file}`, text })),
  ...committedOfResources(resources),
];
