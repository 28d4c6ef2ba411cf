/** Mocks: services whose handlers answer with examples of the contract, recorded answers and the state of resources. */
import { createService, type GatewayService } from '../../../backend/index.ts';
import type { Caller, OlderVersion, Operation, Service } from '../../../core/contract/index.ts';
import type { Authenticator } from '../../../core/gateway/index.ts';
import { exampleOf } from '../../../documents/index.ts';
import type { BoundHandler, Store } from '../../../stores/index.ts';
import { checkRecorded, compileReplay, type RecordedAnswer } from './recorded-answers.ts';
import { firstResources, isCreated, resourceHandler } from './resource-handlers.ts';
import { actions, findResources, type Resource, type ResourceRule } from './resources.ts';
import { mockResources, StoredResources } from './stored-resources.ts';

/** What a mock answers apart from the examples of its contracts. */
export interface MockRules {
  /** The first one that fits a request counts. */
  readonly answers?: readonly RecordedAnswer[];
  /** Resources by name, instead of those that names and paths of operations tell. Without any, the mock has no state. */
  readonly resources?: Readonly<Record<string, ResourceRule>>;
}

/** A contract, and the older versions that the service answers besides. */
export interface MockedContract {
  readonly service: Service;
  readonly olderVersions: readonly OlderVersion[];
}

/** Mocks of contracts. */
export interface Mocks {
  readonly services: readonly GatewayService[];
  /** What each service keeps the state of. */
  readonly resources: ReadonlyMap<Service, readonly Resource[]>;
}

/** Throws TypeError for rules that the contracts do not allow. */
export function createMocks(contracts: readonly MockedContract[], rules: MockRules = {}): Mocks {
  const { answers = [] } = rules;
  const all = contracts.map(({ service }) => service);
  checkRecorded(answers, all);
  const resources = new Map(all.map((service) => [service, findResources(service, rules.resources)]));
  const found = new Set([...resources.values()].flat().map(({ name }) => name));
  const lost = Object.keys(rules.resources ?? {}).find((name) => !found.has(name));
  if (lost !== undefined) throw new TypeError(`${lost}: no service has its operations`);
  const services = contracts.map(({ service, olderVersions }, at) =>
    // One table is enough for all of them.
    mockOf(service, olderVersions, resources.get(service)!, answers, at === 0),
  );
  return { services, resources };
}

/** Returns the services with handlers that answer like a server of these contracts. */
export function mock(contracts: readonly Service[], rules?: MockRules): readonly GatewayService[] {
  return createMocks(
    contracts.map((service) => ({ service, olderVersions: [] })),
    rules,
  ).services;
}

function mockOf(
  service: Service,
  olderVersions: readonly OlderVersion[],
  resources: readonly Resource[],
  answers: readonly RecordedAnswer[],
  hasTable: boolean,
): GatewayService {
  const handlers = new Map<Operation, BoundHandler>(
    [...service.operations.values()].map((operation) => {
      const resource = resources.find((each) => each.actions.has(operation.name));
      const usual = resource === undefined ? exampleHandler(operation) : resourceHandler(service, operation, resource);
      const replay = compileReplay(answers, service, operation);
      return [operation, replay === undefined ? usual : withReplay(replay, usual)];
    }),
  );
  return createService({
    contract: service,
    olderVersions,
    tables: hasTable ? [mockResources] : [],
    open: ({ store }) => store,
    bind: () => handlers,
    prepare: (store) => addFirst(store, service, resources),
  });
}

function exampleHandler({ output }: Operation): BoundHandler {
  const example = exampleOf(output, 'full');
  return { kind: 'plain', handle: async () => example };
}

function withReplay(replay: (input: unknown) => unknown, usual: BoundHandler): BoundHandler {
  if (usual.kind !== 'plain') throw new TypeError('the handlers of mocks ask no other system');
  return {
    kind: 'plain',
    handle: async (request, tx, context) => replay(request.input) ?? usual.handle(request, tx, context),
  };
}

async function addFirst(store: Store, service: Service, resources: readonly Resource[]): Promise<void> {
  if (resources.length === 0) return;
  await store.write(async (tx) => {
    for (const resource of resources) {
      const stored = new StoredResources(tx, service.name, resource.name);
      for (const { id, content } of firstResources(service, resource)) await stored.save(tx, id, content);
    }
  });
}

/** Says what of a service has a state, how that was decided, and what is answered with examples. */
export function describeMock(service: Service, resources: readonly Resource[]): readonly string[] {
  const examples = [...service.operations.keys()].filter((name) => !resources.some((each) => each.actions.has(name)));
  return [
    ...resources.flatMap((resource) => [
      `${resource.name}: state, by ${resource.ids.map((id) => id.name).join(' and ')}; ${
        isCreated(resource) ? 'an id that no caller has created is unknown' : 'every id is known'
      }`,
      ...actions.flatMap((action) => {
        const names = [...resource.actions].filter(([, each]) => each === action).map(([each]) => each);
        return names.length === 0 ? [] : [`  ${action.padEnd(6)} ${names.join(', ')}`];
      }),
    ]),
    ...(examples.length === 0 ? [] : [`examples: ${examples.join(', ')}`]),
  ];
}

/** Has any value. */
class AnyValue extends Set<string> {
  override has(): boolean {
    return true;
  }
}

/** All callers are one, which may use every operation: state and Idempotency-Keys are shared by all. */
export function everyCaller(services: readonly Service[]): Authenticator {
  const grants = services.flatMap(({ operations }) => [...operations.values()].flatMap((each) => each.grants));
  const caller: Caller = Object.freeze({
    credential: 'everyone',
    tenant: 'mock',
    requiresKey: false,
    roles: new Set(services.flatMap(({ roles }) => roles)),
    grants: new Map(grants.map(({ grant }) => [grant.name, new AnyValue()])),
  });
  const authenticate = async () => caller;
  return Object.freeze<Authenticator>({ authenticate, requireCredential: authenticate });
}
