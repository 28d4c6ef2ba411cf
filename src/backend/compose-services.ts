/** Composes the services of a server: what each contributes, in one list. */

import {
  auditTables,
  type CredentialRegistry,
  type CredentialRules,
  callerTables,
  type GrantRule,
} from '../access/index.ts';
import type { SettingGroup } from '../config/index.ts';
import type { TraceCall } from '../core/lib/index.ts';
import type { Log, Metrics } from '../http/index.ts';
import { type Engine, type SharedObjects, storeTables, type TableOwner } from '../stores/index.ts';
import { type JobHandler, type JobQueue, parseQueuedEvent, WebhookFormats } from '../stores/jobs/index.ts';
import type { EventContent, GatewayService, ServerParts } from './define-service.ts';
import type { OperatorActions } from './operator-actions.ts';
import { shadowTables } from './shadow/tables.ts';

/** What operators see of a queued event. */
export interface EventSummary extends EventContent {
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** What the services of a server contribute over its store. */
export type Services = ReturnType<typeof composeServices>;

/** Throws where two services find secrets in texts. */
export function composeServices(services: readonly GatewayService[], formats: WebhookFormats, server: ServerParts) {
  const opened = services.map((service) => service.open(server));
  return Object.freeze({
    implementations: opened.map(({ implementation }) => implementation),
    webhookFormats: formats,
    importers: opened.flatMap(({ importers }) => importers),
    hasGuides: services.some(({ definition }) => definition.hasGuides),
    actions: opened.flatMap(({ actions }) => actions),
    panels: opened.flatMap(({ panels }) => panels),
    dataTables: opened.flatMap(({ dataTables }) => dataTables),
    textScan: onlyOne(
      opened.map(({ textScan }) => textScan),
      'find secrets in texts',
    ),
    /** Summarizes the payload of a queued event, without personal data. */
    summarizeEvent: (payload: string): EventSummary => summarizeEvent(services, payload),
    /** Adds to the data of a queued event what is sealed in the store. */
    async completeEvent(data: object): Promise<object> {
      let completed = data;
      for (const { completeEvent } of opened) completed = (await completeEvent?.(completed)) ?? completed;
      return completed;
    },
    /** Returns why an endpoint of a tenant would get no event in a format; undefined where it may get one. */
    async findEndpointFault(format: string, tenant: string): Promise<string | undefined> {
      const at = services.findIndex(({ definition }) => definition.webhookFormats?.some(({ name }) => name === format));
      return opened[at]?.findEndpointFault(tenant);
    },
    /** Adapts what is stored to the configuration. For serving processes, before their first request. */
    async prepare(credentials: CredentialRegistry): Promise<void> {
      for (const each of opened) await each.prepare(credentials);
    },
    createJobHandlers: async (queue: JobQueue): Promise<readonly JobHandler[]> =>
      (await Promise.all(opened.map((each) => each.createJobHandlers(queue)))).flat(),
    /** Returns whether the keys are those of all stored data. Throws if something does not open. */
    async keysOpenStoredData(): Promise<boolean> {
      for (const each of opened) if (!(await each.keysOpenStoredData())) return false;
      return true;
    },
    /** Logs and counts the events of services. `trace`: absent where traces are not exported. */
    observe(log: Log, metrics: Metrics, trace?: TraceCall): void {
      for (const each of opened) each.observe(log, metrics, trace);
    },
  });
}

/** What operators do with the data of services. */
export function actionsOf(services: readonly GatewayService[]): readonly OperatorActions<never>[] {
  return services.flatMap(({ definition }) => definition.actions ?? []);
}

export function webhookFormatsOf(services: readonly GatewayService[]): WebhookFormats {
  return new WebhookFormats(services.flatMap(({ definition }) => definition.webhookFormats ?? []));
}

/** The settings of services. */
export function settingGroupsOf(services: readonly Pick<GatewayService, 'definition'>[]): readonly SettingGroup[] {
  return services.flatMap(({ definition }) => definition.settings ?? []);
}

/** Who brings tables to a store: the engine and the services. Throws for two of one name. */
export function ownersOf(services: readonly GatewayService[]): readonly TableOwner[] {
  const owners = [engineTables, ...services.map(({ tables }) => tables)];
  const names = owners.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new TypeError(`${twice} is a service of this server twice`);
  return owners;
}

/** The objects of services that all transactions of a store share. */
export function sharedObjectsOf(
  services: readonly GatewayService[],
  engine: Engine,
  config: ServerParts['config'],
): SharedObjects {
  return services.flatMap((service) => service.sharedObjects(engine, config));
}

/** What credentials may be. A grant that contracts name and no service declares may hold any value, for any tenant. */
export function credentialRulesOf(services: readonly GatewayService[]): CredentialRules {
  const tenants = onlyOne(
    services.map(({ definition }) => definition.tenants),
    'name the tenants',
  );
  const declared = services.flatMap(({ definition }) => definition.grants ?? []);
  const rules = new Map<string, GrantRule>(declared.map((rule) => [rule.name, rule]));
  for (const { operations } of services.map(({ service }) => service))
    for (const { role, grants } of operations.values())
      for (const { grant } of grants) {
        const { name } = grant;
        const option = { flags: `--${name} <value>`, doc: `a ${name}` };
        if (!declared.some((each) => each.name === name)) rules.set(name, { name, noun: name, role, option });
      }
  return { tenantNoun: 'tenant', realm: 'Tenant', ...tenants, grants: [...rules.values()] };
}

/** Returns the services without work of their own, for a server whose operations other servers answer. */
export function withoutJobs(services: readonly GatewayService[]): readonly GatewayService[] {
  return services.map((service) => ({
    ...service,
    open: (server) => ({ ...service.open(server), prepare: async () => {}, createJobHandlers: async () => [] }),
  }));
}

/** Throws for an event of no service. */
export function summarizeEvent(services: readonly GatewayService[], payload: string): EventSummary {
  const { at, data } = parseQueuedEvent<object>(payload);
  for (const { definition } of services) {
    const content = definition.summarizeEvent?.(data);
    if (content !== undefined) return { ...content, at };
  }
  throw new TypeError('no service has such events');
}

function onlyOne<T>(given: readonly (T | undefined)[], what: string): T | undefined {
  const [first, ...others] = new Set(given.filter((each) => each !== undefined));
  if (others.length > 0) throw new TypeError(`two services of a server ${what}`);
  return first;
}

const engineTables: TableOwner = Object.freeze<TableOwner>({
  name: 'engine',
  tables: [...storeTables, ...callerTables, ...auditTables, ...shadowTables],
});
