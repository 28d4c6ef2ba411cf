/**
 * Finds the documents that callers download, by address. Each is derived and printed on the first request for it, in steps between which
 * other requests are answered. What differs by origin is not cached: callers can make up origins, and filling one in costs less than finding it.
 */

import { createHash } from 'node:crypto';
import {
  boundOperations,
  contractOf,
  namedOperations,
  newestOf,
  type Service,
  serviceAddress,
} from '../core/contract/index.ts';
import { BoundedMap, memoize, runInSlices, runToEnd, type Steps, shareRunning } from '../core/lib/index.ts';
import type { JsonSchema } from './json-schema.ts';
import { kebabCase } from './names.ts';
import { boundOpenApi, namedOpenApi, type OpenApiDocuments, type ServerOptions } from './openapi.ts';
import { pagePolicy, printPage, printWrongAddress } from './page.ts';
import { printWsdl } from './wsdl.ts';
import { escapeAttribute, printInSteps } from './xml-document.ts';
import { schemaTags } from './xsd.ts';
import { collectInSteps } from './xsd-types.ts';

export interface Document {
  /** Media type with charset. */
  readonly contentType: string;
  readonly body: string;
  /** Strong, quotes included. */
  readonly etag: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Documents = ReturnType<typeof createDocuments>;

interface DocumentOptions extends ServerOptions {
  /** Whether a WSDL document binds SOAP 1.2, too, where neither the address nor the query says. */
  readonly wsdlSoap12?: boolean;
  /** Whether the credential of a SOAP request may be a UsernameToken in its message. By default it may not. */
  readonly usernameToken?: boolean;
  /** The path of the console, for the page; absent where callers do not reach it. */
  readonly console?: string | undefined;
}

/**
 * WSDL and schemas of each version at its own path with `?wsdl` or `?xsd=`. OpenAPI of the newest versions at `/openapi.json`, and
 * of a service with HTTP bindings at its address with `/openapi.json`. OpenAPI of each version at its own path with
 * `/openapi.json`.
 */
export function createDocuments(
  services: readonly Service[],
  { wsdlSoap12 = true, usernameToken = false, console, ...server }: DocumentOptions = {},
) {
  const { needsCredentials = true } = server;
  const newest = newestOf(services);
  const openApis = openApisOf(newest, server);
  const openApiOfVersion = memoize((service: Service) => versionOpenApi(service, newest, server));
  const sourceOf = memoize(({ derive }: Pick<OpenApi, 'derive'>) => derive(placeholder));
  const named = services.filter(hasNamed);
  const isRootOperation = services.some(hasRootOperation);
  const templates = new TemplateCache();
  let page: Template | undefined;
  const wrongAddress = memoize((of: string) => new Template(printWrongAddress(of)));

  /** `path` without its query; `query` without its question mark. Returns undefined if there is no document. */
  const locateDocument = (path: string, query: string): Sought | undefined => {
    const version = locateVersion(services, /^(.*)[/]openapi[.]json$/.exec(path)?.[1] ?? '');
    const openApi = openApis.find((each) => each.path === path) ?? (version && openApiOfVersion(version.service));
    if (openApi !== undefined) {
      const source = sourceOf(openApi);
      const id = new URLSearchParams(query).get('operation');
      if (id !== null && !source.has(id)) return undefined;
      return {
        contentType: jsonType,
        group: id === null ? path : `${path}?operation=${id}`,
        name: '',
        print: () => printOpenApi(source, path, id),
        fill: escapeJson,
      };
    }
    const found = locate(named, path, query);
    const name = found && documentName(found, wsdlSoap12);
    if (found === undefined || name === undefined) return undefined;
    const { service, address } = found;
    return {
      contentType: xmlType,
      group: `${service.name} ${service.version}`,
      name,
      print: () => printXml(service, usernameToken),
      fill: (origin) => escapeAttribute(origin + address),
    };
  };
  const filled = (sought: Sought, templates: TemplatesByName, origin: string): Document | undefined => {
    const template = templates.get(sought.name);
    return template && document(sought.contentType, template, sought.fill(origin));
  };

  return Object.freeze({
    /**
     * `path` without its query; `query` without its question mark; `origin` like `https://pay.example.com`.
     * Returns undefined if there is no document. It derives the document at once.
     */
    find(path: string, query: string, origin: string): Document | undefined {
      const sought = locateDocument(path, query);
      return sought && filled(sought, templates.find(sought), origin);
    },

    /** As `find`: while a document is derived, other requests are answered. */
    async findInSteps(path: string, query: string, origin: string): Promise<Document | undefined> {
      const sought = locateDocument(path, query);
      return sought && filled(sought, await templates.findInSteps(sought), origin);
    },

    /** The page for browsers, at the root and at the addresses of services. Other programs get it at the root, unless that is an operation. */
    findPage(path: string, origin: string, isBrowser = true): Document | undefined {
      const isPage = path === '/' ? isBrowser || !isRootOperation : isBrowser && isServiceAddress(services, path);
      if (!isPage) return undefined;
      page ??= new Template(
        printPage(services, placeholder, { console: console && placeholder + console, needsCredentials }),
      );
      return { ...document(htmlType, page, escapeAttribute(origin)), headers: pageHeaders };
    },

    /** The page for browsers at an address that nothing answers. */
    pageOfWrongAddress(origin: string): Document {
      return { ...document(htmlType, wrongAddress(placeholder), escapeAttribute(origin)), headers: pageHeaders };
    },
  });
}

/** Whether the root is the path of an operation at the server behind it. */
function hasRootOperation({ paths, operations }: Service): boolean {
  return [...operations.values()].some(
    ({ upstream }) => upstream?.method === 'GET' && `${paths}${upstream.path}` === '/',
  );
}

/** A document that a request names. */
interface Sought {
  readonly contentType: string;
  /** Names the documents that are derived together. */
  readonly group: string;
  /** Of the document in its group. */
  readonly name: string;
  /** Prints the group, with the placeholder in the place of the origin or the address. */
  print(): Steps<TemplatesByName>;
  /** Returns what takes the place of the placeholder. */
  fill(origin: string): string;
}

/** Characters of an OpenAPI document. In the place of a longer one is the index of the documents of its operations. */
const charactersMax = 8 << 20;

function* printOpenApi(source: OpenApiDocuments, path: string, id: string | null): Steps<TemplatesByName> {
  const text = yield* printJsonInSteps(yield* id === null ? source.whole() : source.ofOperation(id));
  if (id !== null || text.length <= charactersMax) return new Map([['', new Template(`${text}\n`)]]);
  const address = (each: string) => `${placeholder}${path}?operation=${encodeURIComponent(each)}`;
  return new Map([['', new Template(printJson(source.index(address)))]]);
}

/** An OpenAPI document of the services. */
export interface OpenApi {
  /** Where callers download it. */
  readonly path: string;
  /** Its file in the repository. */
  readonly file: string;
  derive(origin: string): OpenApiDocuments;
}

/**
 * One document for all operations that callers name, and one for each service with HTTP bindings. `services`: one version of
 * each.
 */
export function openApisOf(services: readonly Service[], server: ServerOptions = {}): readonly OpenApi[] {
  const named = services.filter(hasNamed);
  return [
    {
      path: '/openapi.json',
      file: 'openapi.json',
      derive: (origin) => namedOpenApi(named, origin, server),
    },
    ...services.filter(hasBound).map((service) => ({
      path: `${service.address}/openapi.json`,
      file: `openapi-${kebabCase(service.name)}.json`,
      derive: (origin: string) => boundOpenApi(service, origin),
    })),
  ];
}

/** Returns whether a path, without its query, belongs to the services of a gateway, so that no other server answers it. */
export function ownedPaths(services: readonly Service[]): (path: string) => boolean {
  const documents = new Set(openApisOf(services).map(({ path }) => path));
  const addresses = services.flatMap(({ address, legacy = {} }) => [address, legacy.soap, legacy.adapter, legacy.wsdl]);
  const prefixes = addresses.filter((each) => each !== undefined);
  return (path) => documents.has(path) || prefixes.some((each) => path === each || path.startsWith(`${each}/`));
}

/** `newest`: the versions that are served at the paths of their upstreams. */
function versionOpenApi(service: Service, newest: readonly Service[], server: ServerOptions): Pick<OpenApi, 'derive'> {
  const { paths: _, ...withoutPaths } = service;
  const served = newest.includes(service) ? service : withoutPaths;
  return hasNamed(service)
    ? { derive: (origin) => namedOpenApi([served], origin, server) }
    : { derive: (origin) => boundOpenApi(service, origin) };
}

export function hasNamed(service: Service): boolean {
  return namedOperations(service).length > 0;
}

export function hasBound(service: Service): boolean {
  return boundOperations(service).length > 0;
}

export function printJson(value: JsonSchema): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** As `JSON.stringify(value, null, 2)`; each member of the upper levels is a step. */
function* printJsonInSteps(value: unknown, levels = 3, indent = ''): Steps<string> {
  if (levels === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) {
    yield;
    return JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`);
  }
  const members: string[] = [];
  for (const [name, each] of Object.entries(value))
    members.push(`\n${indent}  ${JSON.stringify(name)}: ${yield* printJsonInSteps(each, levels - 1, `${indent}  `)}`);
  return members.length === 0 ? '{}' : `{${members.join(',')}\n${indent}}`;
}

const xmlType = 'text/xml; charset=utf-8';
const jsonType = 'application/json; charset=utf-8';
const htmlType = 'text/html; charset=utf-8';

/** At the address of a service, Accept decides between the page and a refusal. */
const pageHeaders = Object.freeze({
  'Content-Security-Policy': pagePolicy,
  'Referrer-Policy': 'no-referrer',
  Vary: 'Accept',
});

function document(contentType: string, template: Template, address: string): Document {
  return { contentType, body: template.fill(address), etag: template.etagOf(address) };
}

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

interface Located {
  readonly service: Service;
  readonly address: string;
  readonly query: string;
  /** An address from before SOAP 1.2 was served: its callers expect the one binding that they know. */
  readonly isOld: boolean;
}

function locate(services: readonly Service[], path: string, query: string): Located | undefined {
  const plain = path.replace(/(?<=.)\/$/, '');
  const legacy = services.find((each) => each.legacy?.soap === plain || each.legacy?.wsdl === path);
  if (legacy !== undefined) {
    const address = legacy.legacy?.soap ?? serviceAddress(legacy);
    return { service: legacy, address, query: legacy.legacy?.wsdl === path ? `wsdl&${query}` : query, isOld: true };
  }
  const found = locateVersion(services, plain);
  if (found === undefined) return undefined;
  const { service, version } = found;
  // The newest contract of the old addresses is the first that SOAP 1.2 callers know.
  const first = services.findLast((each) => each.name === service.name && each.legacy !== undefined) ?? service;
  return { service, address: serviceAddress(service, version), query, isOld: version < first.version };
}

/** The contract of a version and the number that was asked for, by the address of the version. */
function locateVersion(services: readonly Service[], path: string) {
  const [, base, digits] = /^(.*)\/[vV]([1-9]\d{0,3})$/.exec(path) ?? [];
  const owner = services.findLast(({ address }) => address === base);
  const version = Number(digits);
  const service = owner && contractOf(services, owner.name, version);
  return service && { service, version };
}

/** Whether callers send requests to the path: a version, an operation called by name, or a legacy address. */
function isServiceAddress(services: readonly Service[], path: string): boolean {
  const plain = path.replace(/(?<=.)\/$/, '');
  if (services.some(({ legacy }) => legacy?.soap === plain || legacy?.adapter === plain)) return true;
  if (locateVersion(services, plain) !== undefined) return true;
  const slash = plain.lastIndexOf('/');
  const base = plain.slice(0, slash);
  const service = locateVersion(services, base)?.service ?? services.findLast(({ legacy }) => legacy?.soap === base);
  return service !== undefined && namedOperations(service).some(({ name }) => name === plain.slice(slash + 1));
}

/** `wsdl`, `wsdl soap11`, or `xsd=` and a namespace. WSDL tools write the names of the query in any case. */
function documentName({ query, isOld }: Located, wsdlSoap12: boolean): string | undefined {
  const pairs = [...new URLSearchParams(query)].map(
    ([name, value]) => [name.toLowerCase(), value.toLowerCase()] as const,
  );
  const [name, value] = pairs.find(([each]) => documentKeys.has(each)) ?? [];
  if (name === undefined) return undefined;
  if (name === 'xsd') return `xsd=${value}`;
  const asked = pairs.find(([each]) => each === 'soap12')?.[1] ?? '';
  const soap12 = answers.get(asked) ?? (wsdlSoap12 && !isOld);
  return soap12 ? 'wsdl' : 'wsdl soap11';
}

const documentKeys: ReadonlySet<string> = new Set(['wsdl', 'singlewsdl', 'xsd']);

const answers: ReadonlyMap<string, boolean> = new Map([
  ['yes', true],
  ['true', true],
  ['no', false],
  ['false', false],
]);

type TemplatesByName = ReadonlyMap<string, Template>;

/** The XML documents of a service, by name: `wsdl`, `wsdl soap11`, and `xsd=recurring` and so on. */
function* printXml(service: Service, usernameToken: boolean): Steps<TemplatesByName> {
  yield* collectInSteps(service);
  const templates = new Map<string, Template>();
  for (const soap12 of [true, false]) {
    const options = { address: placeholder, soap12, usernameToken };
    templates.set(soap12 ? 'wsdl' : 'wsdl soap11', new Template(yield* printWsdl(service, options)));
  }
  for (const [namespace, root] of schemaTags(service, (other) => `${placeholder}?xsd=${other}`))
    templates.set(`xsd=${namespace}`, new Template(yield* printInSteps(root)));
  return templates;
}

/** Characters of all documents that are kept. */
const keptCharactersMax = 64 << 20;

/** Documents that were printed. One group is derived at a time, however many are asked for. */
class TemplateCache {
  readonly #known = new BoundedMap<string, TemplatesByName>(keptCharactersMax, {
    sizeOf: (group) => [...group.values()].reduce((sum, { length }) => sum + length, 1),
  });
  readonly #share = shareRunning<string, TemplatesByName>();
  #last: Promise<unknown> = Promise.resolve();

  find({ group, print }: Sought): TemplatesByName {
    return this.#known.getOrCreate(group, () => runToEnd(print()));
  }

  async findInSteps({ group, print }: Sought): Promise<TemplatesByName> {
    return (
      this.#known.get(group) ??
      this.#share(group, async () => {
        const before = this.#last;
        const done = Promise.withResolvers<void>();
        this.#last = done.promise;
        await before;
        try {
          const printed = await runInSlices(print());
          this.#known.set(group, printed);
          return printed;
        } finally {
          done.resolve();
        }
      })
    );
  }
}

/** The place of the address. It has no character that XML, HTML or JSON escapes. */
const placeholder = 'urn:address-of-the-service';

/** A document with the address of the service in it: printed once, and filled in for each request. */
class Template {
  /** In characters, with the placeholders. */
  readonly length: number;
  readonly #parts: readonly string[];
  readonly #hash: string;

  /** `text` has the placeholder wherever the address belongs. */
  constructor(text: string) {
    this.#parts = text.split(placeholder);
    this.length = text.length;
    this.#hash = hashOf(text).slice(0, 22);
  }

  /** `address`: as the language of the document escapes it. */
  fill(address: string): string {
    return this.#parts.join(address);
  }

  /** Returns the ETag of the filled document: strong, quotes included. A document of hundreds of kilobytes is not hashed for each request. */
  etagOf(address: string): string {
    return `"${this.#hash}-${hashOf(address).slice(0, 20)}"`;
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
