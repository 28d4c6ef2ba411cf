/** Routing of resources: a method and a path to an operation, with what the path holds. */
import { describe, Problem } from '../contract/problem.ts';
import { type Endpoint, namesInPath, type ResourceService } from '../contract/resource.ts';
import type { Target } from '../formats/protocol.ts';

/** A path of the contract: a word that must stand there, or the name of what may. */
type Segment = { readonly word: string } | { readonly name: string };

interface Route {
  readonly segments: readonly Segment[];
  readonly endpoint: Endpoint;
}

const segmentsOf = (path: string): readonly string[] => path.split('/').slice(1);

const compile = (endpoint: Endpoint): Route => ({
  endpoint,
  segments: segmentsOf(endpoint.path).map((segment) => {
    const [name] = namesInPath(segment);
    return name === undefined ? { word: segment } : { name };
  }),
});

const fits = ({ segments }: Route, given: readonly string[]): boolean =>
  segments.length === given.length &&
  segments.every((segment, at) => ('word' in segment ? segment.word === given[at] : given[at] !== ''));

/** What is not percent-encoded soundly names nothing. */
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Problem('badRequest', undefined, { reason: 'percent encoding' });
  }
};

const parametersOf = ({ segments }: Route, given: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(segments.flatMap((each, at) => ('name' in each ? [[each.name, decoded(given[at]!)]] : [])));

interface Served {
  readonly service: ResourceService;
  readonly routes: readonly Route[];
}

/** The version in the path, and the segments after it; a trailing slash is tolerated. */
const below = (address: string, path: string): { readonly version: number; readonly given: readonly string[] } => {
  const [, digits, rest = ''] = /^\/[vV]([1-9]\d{0,3})(\/.*)?$/.exec(path.slice(address.length)) ?? [];
  if (digits === undefined) throw new Problem('notFound');
  return { version: Number(digits), given: segmentsOf(rest.replace(/\/$/, '')) };
};

const unserved = ({ answers }: ResourceService): Problem =>
  new Problem('unknownVersion', describe('unknownVersion', answers.map((each) => `v${each}`).join(', ')));

export interface ResourceRoutes {
  /** Whether the path is one of resources, served or not. */
  owns(path: string): boolean;
  /** Throws notFound, unknownVersion, methodNotAllowed (with Allow) or badRequest. */
  find(method: string, path: string): Target;
}

export const compileResourceRoutes = (services: readonly ResourceService[]): ResourceRoutes => {
  const served = services.map(
    (service): Served => ({ service, routes: [...service.operations.values()].map(compile) }),
  );
  const ownerOf = (path: string) =>
    served.find(({ service: { address } }) => path === address || path.startsWith(`${address}/`));
  return Object.freeze<ResourceRoutes>({
    owns: (path) => ownerOf(path) !== undefined,
    find(method, path) {
      const owner = ownerOf(path);
      if (owner === undefined) throw new Problem('notFound');
      const { service, routes } = owner;
      const { version, given } = below(service.address, path);
      if (!service.answers.includes(version)) throw unserved(service);
      const there = routes.filter((route) => fits(route, given));
      if (there.length === 0) throw new Problem('notFound');
      const route = there.find(({ endpoint }) => endpoint.method === method);
      if (route === undefined) {
        const allowed = there.map(({ endpoint }) => endpoint.method).join(', ');
        throw new Problem('methodNotAllowed', undefined, { headers: { Allow: allowed } });
      }
      const { endpoint } = route;
      return Object.freeze({ service, version, operation: endpoint, parameters: parametersOf(route, given) });
    },
  });
};
