/** Finds what a path names: the format of the address, and for each method the operation. */

import {
  adviceAt,
  type BoundOperation,
  boundOperations,
  contractOf,
  describe,
  listed,
  namedOperations,
  namesInPath,
  newestOf,
  type Operation,
  ownBindingOf,
  Problem,
  type Service,
  serviceAddress,
  versionsOf,
} from '../contract/index.ts';
import {
  addressFormats,
  allLeniencies,
  fallbackFormats,
  formatAt,
  type Leniencies,
  type Leniency,
  ownAddressesOf,
  type ProtocolName,
  type Target,
  unknownOperation,
} from '../formats/index.ts';
import { BoundedMap } from '../lib/index.ts';

export interface Route {
  /** The only format of the address; absent where the media type decides. */
  readonly format?: ProtocolName | undefined;
  /** The format of the answer where neither the address nor the media type names one. */
  readonly fallback: (typeof fallbackFormats)[keyof typeof fallbackFormats];
  /** Callers send requests to this path by POST, so a GET asks whether the service is there. */
  readonly isServiceAddress?: true;
  /** The path is that of an operation at the upstream that answers it. */
  readonly isOwnPath?: true;
  /** The path without text of the caller: names in braces stand for fields, and `*` for unknown segments. */
  readonly template: string;
  /** The path is accepted by it. */
  readonly leniency?: Leniency;
  /** Throws notFound, unknownVersion, unknownOperation, methodNotAllowed (with Allow) or badRequest. */
  target(method: string): Target;
}

export interface Routes {
  /** Total, so that a refusal by `target` has the format of the address. */
  find(path: string): Route;
}

/** Parsed paths of operations that are called by name. Anyone may send unknown ones: they displace known paths, one for one. */
const cachedMax = 1_000;

/** `services`: newest last. */
export function compileRoutes(services: readonly Service[], leniencies: Leniencies = allLeniencies): Routes {
  const templates = new Map(services.map((service) => [service, boundOperations(service).map(compileTemplate)]));
  const soapFolders = services.flatMap(({ legacy: { soap } = {} }) =>
    soap === undefined || soap === '/' ? [] : [folderOf(soap)],
  );
  const cache = new BoundedMap<string, Route>(cachedMax);
  const describePath = createPathDescription(services);
  const atOwnPath = compileOwnPaths(services);

  const locate = (path: string, fallback: Route['fallback']): Located => {
    const plain = path.replace(/(?<=.)\/$/, '');
    const ofFormat = services.findLast((service) => formatAt(plain, service) !== undefined);
    if (ofFormat !== undefined)
      return { format: formatAt(plain, ofFormat), ...named(ofFormat, undefined, '', fallback) };
    const declaring = services.filter(({ legacy }) => legacy?.soap === plain);
    if (declaring.length > 0) return named(declaring[0]!, undefined, '', fallback, othersOf(declaring));
    const folders = services.filter(({ legacy }) => legacy?.soap && isOperationBelow(plain, legacy.soap));
    const [folder, ...siblings] = [...Map.groupBy(folders, ({ name }) => name).values()].map((each) => each.at(-1)!);
    if (folder?.legacy?.soap !== undefined)
      return named(folder, undefined, plain.slice(folder.legacy.soap.length), fallback, siblings);
    const owner = services.findLast(({ address }) => path === address || path.startsWith(`${address}/`));
    if (owner === undefined) return atOwnPath(path, fallback) ?? refused(fallback, () => notFound(services));
    const format = namedOperations(owner).length === 0 ? { format: addressFormats.bound } : {};
    const [, digits, rest = ''] = /^\/[vV]([1-9]\d{0,3})(\/.*)?$/.exec(path.slice(owner.address.length)) ?? [];
    if (digits === undefined) return { ...format, ...refused(fallback, () => notFound(services)) };
    const version = Number(digits);
    const service = contractOf(services, owner.name, version);
    if (service === undefined) return { ...format, ...refused(fallback, () => unknownVersion(services, owner.name)) };
    const below = rest.replace(/\/$/, '');
    const fitting = templates.get(service)!.filter((template) => fits(template, segmentsOf(below)));
    if (fitting.length > 0) return bound(service, version, fitting, segmentsOf(below), fallback);
    const otherwise = contractOf(services, owner.name, service.otherwise ?? version);
    const others = otherwise === undefined || otherwise === service ? [] : [otherwise];
    return { ...format, ...named(service, version, below, fallback, others) };
  };

  const find = (path: string): Route => {
    const isLegacySoap = soapFolders.some((folder) => path.startsWith(folder));
    const located = locate(path, isLegacySoap ? fallbackFormats.xml : fallbackFormats.other);
    return Object.freeze<Route>({ ...located, template: located.template ?? describePath(path) });
  };
  return Object.freeze({
    find(path: string): Route {
      const known = cache.get(path);
      if (known !== undefined) return known;
      const single = leniencies.has('double-slashes') ? path.replace(/\/{2,}/g, '/') : path;
      const lenient = single === path ? undefined : find(single);
      const route = lenient !== undefined && isNamed(lenient) ? withDoubleSlashes(lenient) : find(path);
      // Each value of a field in a path is another path.
      const hasFields = (route.format === addressFormats.bound || route.isOwnPath) && route.template !== path;
      if (!hasFields) cache.set(path, route);
      return route;
    },
  });
}

/** Whether a path is one segment below an address, and no version of it. */
function isOperationBelow(path: string, address: string): boolean {
  return path.startsWith(`${address}/`) && /^\/(?![vV][1-9]\d{0,3}$)[^/]+$/.test(path.slice(address.length));
}

/** Between two slashes of a path with fields there may be an empty one, so such a path is taken as it is. */
function isNamed({ format, isServiceAddress }: Route): boolean {
  return isServiceAddress === true && format !== addressFormats.bound;
}

function withDoubleSlashes(route: Route): Route {
  return Object.freeze<Route>({ ...route, leniency: 'double-slashes' });
}

/** A route before unknown segments of its path are left out. */
type Located = Omit<Route, 'template'> & { readonly template?: string };

/** A segment of a path template: a literal word, or the name of a field. */
type Segment = { readonly word: string } | { readonly field: string };

interface Template {
  readonly operation: BoundOperation;
  readonly segments: readonly Segment[];
}

/**
 * A service whose operations callers name: in the path, or in the body where `below` is empty. `asked`: the version in the path.
 * `others`: for what the service lacks, one after the other.
 */
function named(
  service: Service,
  asked: number | undefined,
  below: string,
  fallback: Route['fallback'],
  others: readonly Service[] = [],
): Located {
  const name = nameIn(below);
  const isService = below === '' && namedOperations(service).length > 0;
  if (name === undefined && !isService) {
    const route = refused(fallback, () => notFound([service]));
    return below === '' ? { ...route, isServiceAddress: true } : route;
  }
  const operation = name === undefined ? undefined : service.operations.get(name);
  const [otherwise, ...further] = others;
  if (name !== undefined && operation === undefined && otherwise !== undefined)
    return named(otherwise, asked, below, fallback, further);
  if (name !== undefined && (operation === undefined || operation.http !== undefined))
    return refused(fallback, () =>
      namedOperations(service).length > 0 ? unknownOperation(service) : notFound([service]),
    );
  const targetIn = (of: Service, [next, ...rest]: readonly Service[]): Target =>
    Object.freeze<Target>({
      service: of,
      version: asked ?? of.version,
      isUnversioned: asked === undefined,
      operation: name === undefined ? undefined : of.operations.get(name),
      ...(next !== undefined && { otherwise: targetIn(next, rest) }),
    });
  const target = targetIn(service, others);
  return {
    fallback,
    isServiceAddress: true,
    target(method) {
      if (method !== 'POST') throw methodNotAllowed(['POST']);
      return target;
    },
  };
}

/** Those after the first: of its service the last version, and so of each other service at the address. */
function othersOf(declaring: readonly Service[]): readonly Service[] {
  const versions = [...Map.groupBy(declaring, ({ name }) => name).values()];
  return versions.flatMap((each) => [each[0]!, ...(each.length > 1 ? [each.at(-1)!] : [])]).slice(1);
}

/** The name of an operation below the address of its service; undefined for anything else. */
function nameIn(below: string): string | undefined {
  if (/^\/[A-Za-z_]\w{0,59}$/.test(below)) return below.slice(1);
  try {
    const name = decodeURIComponent(below.slice(1));
    // Each name has one form in a path.
    const isName = /^[\p{L}_][\p{L}\p{N}._-]{0,127}$/u.test(name);
    return isName && below === `/${encodeURIComponent(name)}` ? name : undefined;
  } catch {
    return undefined;
  }
}

function refused(fallback: Route['fallback'], problem: () => Problem): Located {
  return {
    fallback,
    target() {
      throw problem();
    },
  };
}

function notFound(services: readonly Service[]): Problem {
  const addresses = newestOf(services).map((service) => serviceAddress(service, service.version));
  return new Problem('notFound', undefined, adviceAt('path', `it is none of the addresses ${listed(addresses)}`));
}

/** `implied`: methods that are served, too, and that no advice names. */
function methodNotAllowed(allowed: readonly string[], implied: readonly string[] = []): Problem {
  const headers = { Allow: [...allowed, ...implied].join(', ') };
  return new Problem('methodNotAllowed', undefined, { ...adviceAt('method', `send ${allowed.join(' or ')}`), headers });
}

function unknownVersion(services: readonly Service[], name: string): Problem {
  const served = new Set(services.filter((each) => each.name === name).flatMap(versionsOf));
  return new Problem('unknownVersion', describe('unknownVersion', printVersions([...served])));
}

/** `v1, v2`, or `v1 to v68` where there are more. */
function printVersions(versions: readonly string[]): string {
  return versions.length > 2 ? `${versions[0]} to ${versions.at(-1)}` : versions.join(', ');
}

function compileTemplate(operation: BoundOperation): Template {
  return {
    operation,
    segments: segmentsOf(operation.http.path).map((segment) => {
      const [field] = namesInPath(segment);
      return field === undefined ? { word: segment } : { field };
    }),
  };
}

/** A longer path is cut. */
const describedSegmentsMax = 12;

/** Returns a function that replaces every segment that is no word of an address, such as an identifier, by `*`. */
function createPathDescription(services: readonly Service[]): (path: string) => string {
  const addresses = services.flatMap((service) => {
    const { soap = '', wsdl = '' } = service.legacy ?? {};
    return [service.address, soap, wsdl, ...ownAddressesOf(service)];
  });
  const operations = services.flatMap(({ operations }) => [...operations.values()]);
  const words = new Set([
    '',
    ...addresses.flatMap(segmentsOf),
    ...operations.flatMap(({ name, http }) => [name, ...segmentsOf(http?.path ?? '')]),
  ]);
  return (path) => {
    const segments = path.split('/', describedSegmentsMax);
    return segments.map((each) => (words.has(each) || /^[vV]\d{1,4}$/.test(each) ? each : '*')).join('/');
  };
}

function segmentsOf(path: string): readonly string[] {
  return path.split('/').slice(1);
}

/** `/pal/servlet/soap/Recurring` to `/pal/servlet/soap/`. */
function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

function fits({ segments }: Template, given: readonly string[]): boolean {
  return (
    segments.length === given.length &&
    segments.every((segment, at) => ('word' in segment ? segment.word === given[at] : given[at] !== ''))
  );
}

/** Operations whose path fits; the method chooses among them. */
function bound(
  service: Service,
  version: number,
  fitting: readonly Template[],
  segments: readonly string[],
  fallback: Route['fallback'],
): Located {
  return {
    format: addressFormats.bound,
    fallback,
    template: serviceAddress(service, version) + fitting[0]!.operation.http.path,
    target(method) {
      // HEAD is a GET whose answer has no body (RFC 9110, section 9.3.2).
      const asked = method === 'HEAD' ? 'GET' : method;
      const template = fitting.find(({ operation }) => operation.http.method === asked);
      if (template === undefined) {
        const methods = fitting.map(({ operation }) => operation.http.method);
        throw methodNotAllowed(methods, methods.includes('GET') ? ['HEAD'] : []);
      }
      return Object.freeze<Target>({
        service,
        version,
        operation: template.operation,
        parameters: parametersOf(template, segments),
      });
    },
  };
}

/** A path of an upstream: the text between its fields in each segment. */
interface OwnPath {
  readonly service: Service;
  readonly operation: Operation;
  readonly method: string;
  readonly path: string;
  readonly pattern: RegExp;
  readonly names: readonly string[];
  /** A segment without a field goes before one with a field. */
  readonly rank: string;
}

/** Finds the operations at the paths that they have at their upstreams. */
function compileOwnPaths(
  services: readonly Service[],
): (path: string, fallback: Route['fallback']) => Located | undefined {
  const all = newestOf(services).flatMap(ownPathsOf);
  const byLength = Map.groupBy(
    all.toSorted((a, b) => (a.rank < b.rank ? -1 : 1)),
    ({ path }) => segmentsOf(path).length,
  );
  return (path, fallback) => {
    const fitting = (byLength.get(segmentsOf(path).length) ?? []).filter(({ pattern }) => pattern.test(path));
    const [first] = fitting;
    if (first === undefined) return undefined;
    return {
      fallback,
      isOwnPath: true,
      template: first.path,
      target(method) {
        const found = fitting.find((each) => each.method === method);
        if (found === undefined) throw methodNotAllowed([...new Set(fitting.map((each) => each.method))]);
        const { service, operation, pattern, names } = found;
        const values = pattern.exec(path)?.slice(1) ?? [];
        const parameters = Object.fromEntries(names.map((name, at) => [name, decoded(values[at] ?? '')]));
        return Object.freeze<Target>({ service, version: service.version, isUnversioned: true, operation, parameters });
      },
    };
  };
}

function ownPathsOf(service: Service): readonly OwnPath[] {
  return [...service.operations.values()].flatMap((operation) => {
    const own = ownBindingOf(service, operation);
    if (own === undefined) return [];
    const { upstream, path } = own;
    const parts = path.split(/\{\w+\}/).map((text) => text.replace(/[\\^$.|?*+()[\]{}/]/g, '\\$&'));
    const rank = segmentsOf(path)
      .map((each) => (each.includes('{') ? (each.startsWith('{') && each.endsWith('}') ? '2' : '1') : '0'))
      .join('');
    const pattern = new RegExp(`^${parts.join('([^/]+?)')}$`);
    return [{ service, operation, method: upstream.method, path, pattern, names: namesInPath(path), rank }];
  });
}

function parametersOf({ segments }: Template, given: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    segments.flatMap((each, at) => ('field' in each ? [[each.field, decoded(given[at]!)]] : [])),
  );
}

/** Throws badRequest for a text that is not percent-encoded as RFC 3986 says. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Problem('badRequest', undefined, { reason: 'percent encoding' });
  }
}
