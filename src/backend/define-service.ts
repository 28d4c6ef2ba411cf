/** A service as one value: its contract, its handlers, and everything else that it contributes to a server. */
import type { CredentialRegistry, CredentialRules, GrantRule, Limits } from '../access/index.ts';
import { type Config, type SettingGroup, type SettingTable, type ValuesOf, valuesOf } from '../config/index.ts';
import type { OlderVersion, Operation, Service, TextDetector } from '../core/contract/index.ts';
import type { HandlerContext } from '../core/gateway/index.ts';
import type { TraceCall } from '../core/lib/index.ts';
import type { EventCounter, Log, Metrics } from '../http/index.ts';
import {
  bindHandlers,
  type CheckedHandlers,
  type Engine,
  type HandlersOf,
  type Implementation,
  type OperationHandlers,
  type RowIntegrity,
  type SharedObjects,
  type Store,
  type Table,
  type TableOwner,
} from '../stores/index.ts';
import type { JobHandler, JobQueue, WebhookFormat } from '../stores/jobs/index.ts';
import type { DataTable } from './data-table.ts';
import type { Erasure } from './erasure.ts';
import type { RowImporter } from './import/import-batch.ts';
import type { OpenedActions, OperatorActions, ServiceCommand } from './operator-actions.ts';
import type { Panel } from './panel.ts';

/** The parts of a server that its services use. */
export interface ServerParts {
  readonly engine: Engine;
  readonly store: Store;
  readonly context: HandlerContext;
  readonly limits: Limits;
  readonly integrity: RowIntegrity;
  readonly config: Pick<Config, 'environment' | 'valuesOfGroups'>;
}

/** The parts of a server that a service uses, with the values of its settings. */
export interface ServiceParts<V extends object = object> extends Omit<ServerParts, 'config'> {
  readonly environment: Config['environment'];
  readonly settings: V;
}

/** What operators see of a queued event. */
export interface EventContent {
  readonly type: string;
  /** What the event belongs to, by the name of its member. */
  readonly owner: Readonly<Record<string, string>>;
}

/** Finds secrets in texts that should hold none. */
export interface TextScan {
  readonly detector: TextDetector;
  /** Whether such a text is refused. It is counted, audited and masked in any case. */
  readonly refuses: boolean;
  readonly counter: EventCounter;
}

/** A file that a command imports, a row at a time. */
export interface Importer<R> {
  /** The rows in help texts: `stored details`. */
  readonly rows: string;
  create(shared: R): RowImporter;
}

/** What a service contributes; only the contract and its handlers are required. `R`: what `open` returns. */
export interface ServiceDefinition<O extends Operation, T extends SettingTable, R> {
  /** The newest version. Its roles and sets of roles are those of the service. */
  readonly contract: Service<O>;
  /** Oldest first. Each leads to the one behind it, the last to the contract. */
  readonly olderVersions?: readonly OlderVersion[];
  /** The older versions that a server with these settings serves; all of them where it is absent. */
  chooseVersions?(settings: ValuesOf<T>): readonly OlderVersion[];
  /** The upstream that answers the operations without a handler. */
  readonly answeredBy?: string | undefined;
  readonly settings?: SettingGroup<T>;
  /** Creates what the functions below share, once for each store. */
  open?(parts: ServiceParts<ValuesOf<T>>): R;
  /** Handlers that need more than the parts of every request; instead of `handlers`. */
  bind?(shared: NoInfer<R>): OperationHandlers;
  /** In the order in which they reference each other. Their creation, MACs, rotations, retention and copies follow from them. */
  readonly tables?: readonly Table[];
  /** By the number of a migration: statements that no declaration of a table expresses. Each is applied once. */
  readonly upgrades?: TableOwner['upgrades'];
  /** The name under which its migrations are recorded; by default that of its contract. */
  readonly owner?: string;
  /** Objects that all transactions of a store share, such as caches. */
  sharedObjects?(engine: Engine, settings: ValuesOf<T>): SharedObjects;
  /** Returns whether the keys are those of its data; true if there is none. Throws if something does not open. */
  keysOpenStoredData?(shared: NoInfer<R>): Promise<boolean>;
  readonly erasure?: Erasure;
  /** The name of a tenant in commands, and the realm of usernames. One service of a server may say them. */
  readonly tenants?: Pick<CredentialRules, 'tenantNoun' | 'realm'>;
  /** The grants of its credentials. One that only its contract names may hold any value. */
  readonly grants?: readonly GrantRule[];
  /** Returns undefined for the event of another service. */
  summarizeEvent?(data: object): EventContent | undefined;
  /** Adds to the data of a queued event what is sealed in the store. */
  completeEvent?(shared: NoInfer<R>): (data: object) => Promise<object>;
  readonly webhookFormats?: readonly WebhookFormat[];
  /** Returns why no event would be sent to an endpoint of a tenant, which finds misspelt names; undefined where one may be. */
  findEndpointFault?(shared: NoInfer<R>, tenant: string): Promise<string | undefined>;
  /** One service of a server may have it. */
  textScan?(shared: NoInfer<R>): TextScan;
  /** Files that commands import, by name. */
  readonly importers?: Readonly<Record<string, Importer<NoInfer<R>>>>;
  /** For serving processes, before their first request. */
  prepare?(shared: NoInfer<R>): Promise<void>;
  jobs?(shared: NoInfer<R>, queue: JobQueue): Promise<readonly JobHandler[]>;
  /** What operators see of its state. */
  panels?(shared: NoInfer<R>): readonly Panel[];
  /** The data that the console of the demo shows. */
  dataTables?(shared: NoInfer<R>): readonly DataTable[];
  /**
   * What operators do with its data. Commands and the console offer it.
   * @internal
   */
  readonly actions?: readonly OperatorActions<NoInfer<R>>[];
  /**
   * Its other commands, and the groups of its commands, by all their words: `updates import`.
   * @internal
   */
  readonly commands?: Readonly<Record<string, ServiceCommand<NoInfer<R>>>>;
  /**
   * Present where the documentation in the console has pages about it.
   * @internal
   */
  readonly hasGuides?: true;
  /** Logs and counts its events. `trace`: absent where traces are not exported. */
  observe?(shared: NoInfer<R>, log: Log, metrics: Metrics, trace?: TraceCall): void;
}

/** What a service contributes over the store of one server. */
interface OpenedService {
  readonly implementation: Implementation;
  readonly panels: readonly Panel[];
  readonly dataTables: readonly DataTable[];
  readonly textScan: TextScan | undefined;
  readonly importers: readonly OpenedImporter[];
  readonly actions: readonly OpenedActions[];
  readonly completeEvent: ((data: object) => Promise<object>) | undefined;
  keysOpenStoredData(): Promise<boolean>;
  findEndpointFault(tenant: string): Promise<string | undefined>;
  prepare(credentials: CredentialRegistry): Promise<void>;
  createJobHandlers(queue: JobQueue): Promise<readonly JobHandler[]>;
  observe(log: Log, metrics: Metrics, trace?: TraceCall): void;
}

/** An importer of a service over a store. */
export interface OpenedImporter {
  readonly name: string;
  readonly rows: string;
  create(): RowImporter;
}

type Unopened = Pick<
  ServiceDefinition<Operation, SettingTable, never>,
  | 'actions'
  | 'commands'
  | 'importers'
  | 'hasGuides'
  | 'answeredBy'
  | 'settings'
  | 'tenants'
  | 'grants'
  | 'summarizeEvent'
  | 'webhookFormats'
  | 'erasure'
>;

/** A service that a gateway serves: what `defineService` returns. */
export interface GatewayService<R = unknown> {
  readonly kind: 'service';
  /** @internal */
  readonly service: Service;
  /** @internal */
  readonly olderVersions: readonly OlderVersion[];
  /** @internal */
  readonly tables: TableOwner;
  /**
   * What it contributes without a store.
   * @internal
   */
  readonly definition: Unopened;
  /**
   * Absent where they are bound for each store.
   * @internal
   */
  readonly handlers: OperationHandlers | undefined;
  /** @internal */
  sharedObjects(engine: Engine, config: ServerParts['config']): SharedObjects;
  /** @internal */
  open(server: ServerParts): OpenedService;
  /**
   * What `open` of its definition returned for the store of a backend.
   * @internal
   */
  sharedIn(backend: Pick<ServerParts, 'context'>): R;
}

/**
 * Returns a service. Throws where both or none of `handlers` and `bind` are given. `H`: one handler for each operation; a missing, a
 * stray or a wrongly typed one does not compile.
 */
export function defineService<
  O extends Operation,
  H extends HandlersOf<O>,
  R,
  // biome-ignore lint/complexity/noBannedTypes: a table without settings.
  T extends SettingTable = {},
>(definition: ServiceDefinition<O, T, R> & { readonly handlers?: CheckedHandlers<O, H> }): GatewayService<R> {
  const { contract, handlers } = definition;
  const bound = handlers && bindHandlers<O, H>([...contract.operations.values()], handlers);
  return createService(definition, bound);
}

/**
 * `bound`: the handlers, if the definition does not bind them.
 * @internal
 */
export function createService<O extends Operation, T extends SettingTable, R>(
  definition: ServiceDefinition<O, T, R>,
  bound?: OperationHandlers,
): GatewayService<R> {
  const { contract: service, olderVersions = [], settings, bind } = definition;
  const { owner = service.name, tables = [], upgrades = {} } = definition;
  if ((bound === undefined) === (bind === undefined))
    throw new TypeError(`${service.name}: give either its handlers, or a function that binds them`);
  const opened = new WeakMap<HandlerContext, { readonly shared: R }>();
  // Without settings their table is empty, and without `open` nothing is shared.
  const settingsOf = (config: ServerParts['config']): ValuesOf<T> =>
    settings === undefined ? ({} as ValuesOf<T>) : valuesOf(config, settings);
  return Object.freeze<GatewayService<R>>({
    kind: 'service',
    service,
    olderVersions,
    tables: { name: owner, tables, upgrades },
    definition,
    handlers: bound,
    sharedObjects: (engine, config) => definition.sharedObjects?.(engine, settingsOf(config)) ?? [],
    open({ config, ...parts }) {
      const { environment } = config;
      const values = settingsOf(config);
      const shared = definition.open?.({ ...parts, environment, settings: values }) as R;
      opened.set(parts.context, { shared });
      const { importers = {} } = definition;
      return Object.freeze<OpenedService>({
        implementation: {
          service,
          olderVersions: definition.chooseVersions?.(values) ?? olderVersions,
          handlers: bound ?? bind?.(shared) ?? new Map(),
        },
        panels: definition.panels?.(shared) ?? [],
        dataTables: definition.dataTables?.(shared) ?? [],
        textScan: definition.textScan?.(shared),
        importers: Object.entries(importers).map(([name, { rows, create }]) => ({
          name,
          rows,
          create: () => create(shared),
        })),
        actions: (definition.actions ?? []).map(({ load, ...each }) => ({
          ...each,
          perform: async ({ name }, input, context) => (await load())[name]!(input, { ...context, shared }),
        })),
        completeEvent: definition.completeEvent?.(shared),
        keysOpenStoredData: async () => (await definition.keysOpenStoredData?.(shared)) ?? true,
        findEndpointFault: async (tenant) => definition.findEndpointFault?.(shared, tenant),
        prepare: async () => definition.prepare?.(shared),
        createJobHandlers: async (queue) => (await definition.jobs?.(shared, queue)) ?? [],
        observe: (log, metrics, trace) => definition.observe?.(shared, log, metrics, trace),
      });
    },
    sharedIn({ context }) {
      const found = opened.get(context);
      if (found === undefined) throw new TypeError(`${service.name} is not a service of this backend`);
      return found.shared;
    },
  });
}
