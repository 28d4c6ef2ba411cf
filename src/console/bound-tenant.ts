/** People of one tenant: the operations that they may call, and a context in which the handlers find the rows of the tenant alone. */

import { type CredentialRegistry, type NewCredential, RegistryError } from '../access/index.ts';
import type { Backend, OpenedActions } from '../backend/index.ts';
import { describe, gatewayRoles, type Operation, Problem } from '../core/contract/index.ts';
import { boundOperations, roles } from '../operators/index.ts';
import { actionOperations } from './actions/contract.ts';
import type { ConsoleContext } from './console-context.ts';
import { explorerOperations } from './explorer/contract.ts';
import { overviewOperations } from './overview/contract.ts';
import { requestOperations } from './request/contract.ts';
import { listTraffic } from './traffic/contract.ts';

/** The operations that are bound to a tenant. Others are about all tenants: they are refused. */
const ofTenant: ReadonlySet<Operation> = new Set<Operation>([
  ...overviewOperations,
  ...explorerOperations,
  listTraffic,
  ...requestOperations,
  ...actionOperations,
  ...boundOperations,
]);

/** What the services of a backend contribute. */
type BackendActions = {
  readonly services: { readonly actions: readonly Pick<OpenedActions, 'areForTenants' | 'operations'>[] };
};

/** Whether people of one tenant may call an operation. */
export function isOfTenant(operation: Operation, { services }: BackendActions): boolean {
  const isContributed = services.actions.some(
    ({ areForTenants, operations }) => areForTenants && operations.includes(operation),
  );
  return isContributed || ofTenant.has(operation);
}

/** Throws notAllowed where a person of the tenant asks for what is about all tenants, or about another one. */
export function requireOfTenant(
  operation: Operation,
  input: unknown,
  { boundTenant, backend }: { readonly boundTenant: string; readonly backend: BackendActions },
): void {
  if (!isOfTenant(operation, backend)) refuse('this is about all tenants, so it is for people who operate the gateway');
  const { tenant } = input as { readonly tenant?: unknown };
  if (tenant !== undefined && tenant !== boundTenant) refuse(`your credential is bound to ${boundTenant}`);
}

function refuse(why: string): never {
  throw new Problem('notAllowed', `${describe('notAllowed')}: ${why}`);
}

/** Returns a context whose parts have the rows of one tenant. An operation that uses another part must not be in `ofTenant`. */
export function contextOfTenant(context: ConsoleContext, boundTenant: string): ConsoleContext {
  const { backend, deprecations, traffic } = context;
  const isOwn = ({ tenant }: { readonly tenant: string }): boolean => tenant === boundTenant;
  const registry = registryOfTenant(backend, boundTenant);
  const ownIds = async (): Promise<ReadonlySet<string>> =>
    new Set((await registry.listCredentials()).map(({ id }) => id));
  const { callerRecords, callerOwners, inspection, endpoints, unsettled, auditLog, jobs, secondFactors } = backend;
  const backlogs = async () => (await inspection.summarizeEndpoints()).filter(isOwn);
  const requireEndpoint = async (id: string): Promise<boolean> =>
    (await endpoints.list()).some((each) => isOwn(each) && each.endpointId === id);
  return {
    ...context,
    boundTenant,
    traffic: traffic?.ofTenant(boundTenant),
    demoCallers: undefined,
    shadows: [],
    deprecations: { ...deprecations, source: 'the configuration' },
    backend: Object.freeze<Backend>({
      ...backend,
      registry,
      secondFactors: {
        ...secondFactors,
        set: async (id) => secondFactors.set(await registry.require(id)),
        remove: async (id) => secondFactors.remove(await registry.require(id)),
        replaceRecoveryCodes: async (id) => secondFactors.replaceRecoveryCodes(await registry.require(id)),
      },
      credentialUses: {
        ...backend.credentialUses,
        async findNextExpiry() {
          const now = backend.context.clock.now();
          const live = (await registry.listCredentials()).filter(({ revokedAt }) => revokedAt === undefined);
          const ends = live.flatMap(({ expiresAt = 0 }) => (expiresAt > now ? [expiresAt] : []));
          return ends.length === 0 ? undefined : Math.min(...ends);
        },
      },
      callerRecords: {
        ...callerRecords,
        listUses: async (since) => (await callerRecords.listUses(since)).filter(({ use }) => isOwn(use)),
        async findUse(id) {
          const use = await callerRecords.findUse(id);
          return use !== undefined && isOwn(use) ? use : undefined;
        },
        hasCredential: async (id) => (await ownIds()).has(id),
      },
      callerOwners: {
        ...callerOwners,
        async list() {
          const own = await ownIds();
          return (await callerOwners.list()).filter(({ credential }) => own.has(credential));
        },
      },
      comparisons: { ...backend.comparisons, list: async () => [] },
      shadows: { ...backend.shadows, list: async () => [] },
      inspection: {
        ...inspection,
        summarizeEndpoints: backlogs,
        findDead: (kind, { max }) => inspection.findDead(kind, { tenant: boundTenant, max }),
        findDeadTenants: async () => [boundTenant],
      },
      endpoints: {
        ...endpoints,
        list: async () => (await endpoints.list()).filter(isOwn),
        remove: async (id) => ((await requireEndpoint(id)) ? endpoints.remove(id) : undefined),
        rotate: async (id, change) => (await requireEndpoint(id)) && endpoints.rotate(id, change),
        countDeadLetters: async () => (await backlogs()).reduce((sum, { dead }) => sum + dead, 0),
        async oldestWaitingMs() {
          const ages = (await backlogs()).flatMap(({ oldestMs }) => oldestMs ?? []);
          return ages.length === 0 ? undefined : Math.max(...ages);
        },
      },
      jobs: { ...jobs, revive: async (tenant, id) => tenant === boundTenant && jobs.revive(tenant, id) },
      unsettled: {
        ...unsettled,
        list: async (max) => (await unsettled.list(max)).filter(isOwn),
        async find(id) {
          const found = await unsettled.find(id);
          return found !== undefined && isOwn(found) ? found : undefined;
        },
        countUnknown: async () =>
          (await unsettled.list(unsettledMax)).filter((each) => isOwn(each) && each.state === 'unknown').length,
      },
      auditLog: {
        append: auditLog.append,
        appendIn: auditLog.appendIn,
        read: (from, through) => auditLog.read(from, through),
        head: () => auditLog.head(),
        pin: auditLog.pin,
        follow: () => auditLog.follow(),
        verify: () => auditLog.verify(),
        removeBefore: (moment, pause) => auditLog.removeBefore(moment, pause),
        // An operator may have a credential of the tenant, and acts on others.
        async list(filter) {
          const people = (await registry.listCredentials()).filter((each) => !each.roles.some(isOfOperators));
          return auditLog.list({ ...filter, actors: people.map(({ id }) => id) });
        },
      },
    }),
  };
}

const unsettledMax = 10_000;

type TenantRegistry = CredentialRegistry & {
  /** Returns the id of a credential that people of the tenant may change. */
  require(id: string): Promise<string>;
};

/** The credentials of a tenant. Its people give others no more than some valid credential of the tenant has already. */
function registryOfTenant({ registry, context: { clock } }: Backend, boundTenant: string): TenantRegistry {
  const list = async () => (await registry.listCredentials()).filter(({ tenant }) => tenant === boundTenant);
  const find = async (id: string) => {
    const found = (await list()).find((each) => each.id === id);
    if (found === undefined || found.roles.some(isOfOperators))
      throw new RegistryError(`no credential of ${boundTenant} has the id ${id}, or it belongs to an operator`);
    return found;
  };
  const require = async (id: string) => (await find(id)).id;
  const requireHeld = async ({ roles: given, grants, readOnly = false }: Authorized) => {
    const now = clock.now();
    const valid = (await list()).filter(
      ({ revokedAt, altered, expiresAt = Number.POSITIVE_INFINITY }) =>
        revokedAt === undefined && !altered && expiresAt > now,
    );
    const held = new Set([
      ...valid.filter((each) => readOnly || !each.readOnly).flatMap((each) => each.roles),
      ...ofPeople,
    ]);
    const refused =
      given.find((role) => isOfOperators(role) || !held.has(role)) ??
      Object.entries(grants).flatMap(([name, values]) =>
        values.filter((value) => !valid.some((each) => each.grants[name]?.includes(value))),
      )[0];
    if (refused !== undefined)
      throw new RegistryError(
        `no ${readOnly ? '' : 'writing '}credential of ${boundTenant} has ${refused}: ask an operator`,
      );
  };
  return Object.freeze<TenantRegistry>({
    require,
    listCredentials: list,
    async addCredential(credential) {
      await requireHeld(credential);
      return registry.addCredential({ ...credential, tenant: boundTenant });
    },
    async addCertificateCredential(credential) {
      await requireHeld(credential);
      return registry.addCertificateCredential({ ...credential, tenant: boundTenant });
    },
    async editCredential(id, changes) {
      const { roles: before, readOnly } = await find(id);
      if (changes.roles !== undefined || changes.readOnly === false)
        await requireHeld({ roles: changes.roles ?? before, grants: {}, readOnly: changes.readOnly ?? readOnly });
      await registry.editCredential(id, changes);
    },
    rotateCredential: async (id, options) => registry.rotateCredential(await require(id), options),
    revokeCredential: async (id) => registry.revokeCredential(await require(id)),
  });
}

type Authorized = Pick<NewCredential, 'roles' | 'grants' | 'readOnly'>;

const ofPeople: readonly string[] = [roles.readTenant, roles.actTenant];

function isOfOperators(role: string): boolean {
  return role in gatewayRoles && !ofPeople.includes(role);
}
