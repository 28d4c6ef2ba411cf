/** The documents that callers download: found by address, composed once, with the origin of the request put in. */
import { createHash } from 'node:crypto';
import { boundOperations, contractOf, namedOperations, type Service, serviceAddress } from '../contract/service.ts';
import { escapeAttribute } from './document.ts';
import type { JsonSchema } from './json-schema.ts';
import { deriveOpenApi } from './openapi.ts';
import { type Printer, referencePages } from './reference.ts';
import { deriveResourceOpenApi } from './resource-openapi.ts';
import { resourceReferencePages } from './resource-reference.ts';
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
  const plain = path.replace(/\/$/, '');
  const older = services.findLast(({ legacy }) => legacy?.soap === plain || legacy?.wsdl === path);
  if (older !== undefined) {
    const address = older.legacy?.soap ?? serviceAddress(older);
    return { service: older, address, query: older.legacy?.wsdl === path ? 'wsdl' : query };
  }
  const [, base, digits] = /^(.*)\/[vV]([1-9]\d{0,3})$/.exec(plain) ?? [];
  const owner = services.findLast(({ address }) => address === base);
  const version = Number(digits);
  const service = owner && contractOf(services, owner.name, version);
  return service && { service, address: serviceAddress(service, version), query };
};

const document = (contentType: string, body: string): Document =>
  Object.freeze({ contentType, body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` });

const printJson = (value: JsonSchema): string => `${JSON.stringify(value, null, 2)}\n`;

/**
 * WSDL and schemas of each service at its own path with `?wsdl` or `?xsd=`, OpenAPI at `/openapi.json`, and that of resources at their address.
 * They are derived when somebody first asks: few do, and a server that idles need not hold them.
 */
export const documentsOf = (services: readonly Service[]): Documents => {
  const named = services.filter(hasNamed);
  const drawn = made(draw);
  const openApi = made((all: readonly Service[]) => deriveOpenApi(all, ''));
  const resourceOpenApi = made((service: Service) => deriveResourceOpenApi(service, ''));
  const byPath = new Map(services.filter(hasBound).map((service) => [`${service.address}/openapi.json`, service]));
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
        return keep(`openapi ${origin}`, () => document(jsonType, printJson({ ...openApi(named), servers })));
      }
      const ofResources = byPath.get(path);
      if (ofResources !== undefined) {
        const servers = [{ url: origin + serviceAddress(ofResources) }];
        return keep(`${path} ${origin}`, () =>
          document(jsonType, printJson({ ...resourceOpenApi(ofResources), servers })),
        );
      }
      const found = locate(named, path, query);
      if (found === undefined) return undefined;
      const what = asked(found.query) ?? '';
      const fill = drawn(found.service).get(what);
      if (fill === undefined) return undefined;
      const address = origin + found.address;
      return keep(`${what} ${address}`, () => document(xmlType, fill(address)));
    },
  });
};

/** `BalancePlatform` to `balance-platform`. */
const fileOf = ({ name }: Service): string => name.replace(/(?<!^)[A-Z]/g, '-$&').toLowerCase();

const hasNamed = (service: Service): boolean => namedOperations(service).length > 0;
const hasBound = (service: Service): boolean => boundOperations(service).length > 0;

/** The documents as the repository keeps them, with a neutral address; `printers`, one of each protocol, make the examples. */
export const committedDocuments = (
  services: readonly Service[],
  printers: readonly Printer[],
): readonly CommittedDocument[] => {
  const named = services.filter(hasNamed);
  const rest = printers.find(({ name }) => name === 'rest');
  return [
    ...named.flatMap(committedSchemas),
    { path: 'openapi.json', text: printJson(deriveOpenApi(named, neutralOrigin)) },
    ...referencePages(
      named,
      printers.filter((each) => each !== rest),
    ).map(({ file, text }) => ({ path: `docs/reference/${file}`, text })),
    ...(rest === undefined ? [] : services.filter(hasBound).flatMap((service) => committedResources(service, rest))),
  ];
};

const committedSchemas = (service: Service): readonly CommittedDocument[] => {
  const address = neutralOrigin + serviceAddress(service);
  const title = `${service.name}-v${service.version}`;
  const file = (namespace: string) => `${title}-${namespace}.xsd`;
  return [
    { path: `wsdl/${title}.wsdl`, text: deriveWsdl(service, { address }) },
    ...[...deriveXsd(service, file)].map(([namespace, text]) => ({ path: `wsdl/${file(namespace)}`, text })),
  ];
};

const committedResources = (service: Service, printer: Printer): readonly CommittedDocument[] => [
  { path: `openapi-${fileOf(service)}.json`, text: printJson(deriveResourceOpenApi(service, neutralOrigin)) },
  ...resourceReferencePages(service, printer).map(({ file, text }) => ({
    path: `docs/reference/${fileOf(service)}/${file}`,
    text,
  })),
];
