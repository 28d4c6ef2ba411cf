/** People of one company: the operations that they may call, and a context in which the handlers find the rows of the company alone. */
import type { Backend } from '../backend/backend.ts';
import type { CredentialRegistry } from '../callers/credentials/credential-registry.ts';
import { RegistryError } from '../callers/credentials/credential-rules.ts';
import type { Operation } from '../contract/operation.ts';
import { describe, Problem } from '../contract/problem.ts';
import { gatewayRoles } from '../contract/roles.ts';
import { listAuditEntries } from '../operators/audit/contract.ts';
import * as callers from '../operators/callers/contract.ts';
import * as credentials from '../operators/credentials/contract.ts';
import { listDeprecations } from '../operators/deprecations/contract.ts';
import { roles } from '../operators/operation.ts';
import { pendingOperations } from '../operators/pending/contract.ts';
import { exportMigrationReport, getMigrationReport, listCallerOwners } from '../operators/report/contract.ts';
import { shopperOperations } from '../operators/shoppers/contract.ts';
import * as webhooks from '../operators/webhooks/contract.ts';
import { actionOperations } from './actions/contract.ts';
import type { ConsoleContext } from './console-context.ts';
import { explorerOperations } from './explorer/contract.ts';
import { overviewOperations } from './overview/contract.ts';
import { getTrafficRequest, listTraffic, printTrafficRequest } from './traffic/contract.ts';

/** The operations that are bound to a company. Others are about all companies: they are refused. */
const ofCompany: ReadonlySet<Operation> = new Set<Operation>([
  ...overviewOperations,
  ...explorerOperations,
  ...[listTraffic, getTrafficRequest, printTrafficRequest],
  ...actionOperations,
  ...callers.callerOperations,
  listDeprecations,
  ...[getMigrationReport, exportMigrationReport, listCallerOwners],
  ...[credentials.listCredentials, credentials.addCredential, credentials.editCredential],
  ...[credentials.rotateCredential, credentials.revokeCredential],
  ...[credentials.setSecondFactor, credentials.replaceRecoveryCodes, credentials.removeSecondFactor],
  // An address of an endpoint is an operator's: its checks find mistakes, not attacks.
  ...[webhooks.listWebhooks, webhooks.removeWebhookEndpoint, webhooks.rotateWebhookKey],
  ...[webhooks.listDeadLetters, webhooks.retryDeadLetter, webhooks.retryAllDeadLetters],
  ...pendingOperations,
  ...shopperOperations,
  listAuditEntries,
]);

/** Whether people of one company may call an operation. */
export function isOfCompany(operation: Operation): boolean {
  return ofCompany.has(operation);
}

/** Throws notAllowed where a person of the company asks for what is about all companies, or about another one. */
export function requireOfCompany(operation: Operation, input: unknown, company: string): void {
  if (!isOfCompany(operation)) refuse('this is about all companies, so it is for people who operate the gateway');
  const { tenant } = input as { readonly tenant?: unknown };
  if (tenant !== undefined && tenant !== company) refuse(`your credential is bound to ${company}`);
}

function refuse(why: string): never {
  throw new Problem('notAllowed', `${describe('notAllowed')}: ${why}`);
}

/** Returns a context whose parts have the rows of one company. An operation that uses another part is not one of `ofCompany`. */
export function contextOfCompany(context: ConsoleContext, company: string): ConsoleContext {
  const { backend, deprecations, traffic } = context;
  const isOwn = ({ tenant }: { readonly tenant: string }): boolean => tenant === company;
  const registry = registryOfCompany(backend, company);
  const ownIds = async (): Promise<ReadonlySet<string>> =>
    new Set((await registry.listCredentials()).map(({ id }) => id));
  const { callerRecords, callerOwners, inspection, endpoints, unsettled, auditLog, jobs, secondFactors } = backend;
  const backlogs = async () => (await inspection.summarizeEndpoints()).filter(isOwn);
  const requireEndpoint = async (id: string): Promise<boolean> =>
    (await endpoints.list()).some((each) => isOwn(each) && each.endpointId === id);
  return {
    ...context,
    company,
    traffic: traffic?.ofTenant(company),
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
        findDead: (kind, { max }) => inspection.findDead(kind, { tenant: company, max }),
        findDeadTenants: async () => [company],
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
      jobs: { ...jobs, revive: async (tenant, id) => tenant === company && jobs.revive(tenant, id) },
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
        ...auditLog,
        // An operator may have a credential of the company, and acts on others.
        async list(filter) {
          const people = (await registry.listCredentials()).filter((each) => !each.roles.some(isOfOperators));
          return auditLog.list({ ...filter, actors: people.map(({ id }) => id) });
        },
      },
    }),
  };
}

const unsettledMax = 10_000;

type CompanyRegistry = CredentialRegistry & {
  /** Returns the id of a credential that people of the company may change. */
  require(id: string): Promise<string>;
};

/** The credentials of a company. Its people give others no more than some credential of the company has already. */
function registryOfCompany({ registry }: Backend, company: string): CompanyRegistry {
  const list = async () => (await registry.listCredentials()).filter(({ tenant }) => tenant === company);
  const require = async (id: string): Promise<string> => {
    const found = (await list()).find((each) => each.id === id);
    if (found === undefined || found.roles.some(isOfOperators))
      throw new RegistryError(`no credential of ${company} has the id ${id}, or it belongs to an operator`);
    return id;
  };
  const requireHeld = async (given: readonly string[], grants: Readonly<Record<string, readonly string[]>>) => {
    const live = (await list()).filter(({ revokedAt, altered }) => revokedAt === undefined && !altered);
    const held = new Set([...live.flatMap((each) => each.roles), ...ofPeople]);
    const refused =
      given.find((role) => isOfOperators(role) || !held.has(role)) ??
      Object.entries(grants).flatMap(([name, values]) =>
        values.filter((value) => !live.some((each) => each.grants[name]?.includes(value))),
      )[0];
    if (refused !== undefined) throw new RegistryError(`no credential of ${company} has ${refused}: ask an operator`);
  };
  return Object.freeze<CompanyRegistry>({
    require,
    listCredentials: list,
    async addCredential(credential) {
      await requireHeld(credential.roles, credential.grants);
      return registry.addCredential({ ...credential, tenant: company });
    },
    async addCertificateCredential(credential) {
      await requireHeld(credential.roles, credential.grants);
      return registry.addCertificateCredential({ ...credential, tenant: company });
    },
    async editCredential(id, changes) {
      await requireHeld(changes.roles ?? [], {});
      await registry.editCredential(await require(id), changes);
    },
    rotateCredential: async (id, options) => registry.rotateCredential(await require(id), options),
    revokeCredential: async (id) => registry.revokeCredential(await require(id)),
  });
}

const ofPeople: readonly string[] = [roles.readCompany, roles.actCompany];

function isOfOperators(role: string): boolean {
  return role in gatewayRoles && !ofPeople.includes(role);
}
