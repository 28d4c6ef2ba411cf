/** A set of services: what it contributes to a server, whichever services they are. */
import type { KeyObject } from 'node:crypto';
import type { AuditedWrite } from '../audit/audited-write.ts';
import type { CredentialRegistry } from '../callers/credentials/credential-registry.ts';
import type { CredentialRules } from '../callers/credentials/credential-rules.ts';
import type { Limits } from '../callers/limits/limits.ts';
import type { Config } from '../config/config.ts';
import type { Service } from '../contract/service.ts';
import type { TextDetector } from '../contract/text-detector.ts';
import type { DataTable } from '../gateway/data-table.ts';
import type { HandlerContext } from '../gateway/handler.ts';
import type { Implementation } from '../gateway/implement.ts';
import type { Panel } from '../gateway/panel.ts';
import type { Log } from '../http/log.ts';
import type { Metrics } from '../http/metrics/metrics.ts';
import type { JobQueue } from '../jobs/job.ts';
import type { WebhookFormats } from '../jobs/webhooks/format.ts';
import type { JobHandler } from '../jobs/worker.ts';
import type { TraceCall } from '../lib/call-tracer.ts';
import type { RowIntegrity } from '../store/row-integrity.ts';
import type { TableOwner } from '../store/sql/create-tables.ts';
import type { Engine } from '../store/sql/engine.ts';
import type { Store } from '../store/store.ts';
import type { SharedObjects } from '../store/transaction.ts';

/** What operators see of a queued event. */
export interface EventSummary {
  readonly type: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** What the event belongs to, by the name of its member: `merchantAccount`. */
  readonly owner: Readonly<Record<string, string>>;
}

/** The services of a server, composed with its configuration and its store. */
export interface Services {
  readonly implementations: readonly Implementation[];
  readonly webhookFormats: WebhookFormats;
  readonly registry: CredentialRegistry;
  /** Summarizes the payload of a queued event, without personal data. */
  summarizeEvent(payload: string): EventSummary;
  /** Adds to the data of a queued event what is sealed in the store. */
  readonly completeEvent?: (data: object) => Promise<object>;
  /** Finds secrets in texts that should hold none. */
  readonly textDetector?: TextDetector;
  /** Adapts stored jobs to the configuration. For serving processes, before their first request. */
  prepareJobs(): Promise<void>;
  createJobHandlers(jobs: JobQueue): Promise<readonly JobHandler[]>;
  /** What the services show of their own state. */
  readonly panels?: readonly Panel[];
  /** The data that the console of the demo shows. */
  readonly tables?: readonly DataTable[];
  /** Returns whether the keys are those of all stored data. Throws if something does not open. */
  keysOpenStoredData(): Promise<boolean>;
  /** Logs and counts the events of services. `trace`: absent where traces are not exported. */
  observe(log: Log, metrics: Metrics, trace?: TraceCall): void;
}

/** The parts of a server that services use. */
export interface ServiceDependencies {
  readonly engine: Engine;
  readonly store: Store;
  readonly context: HandlerContext;
  readonly limits: Limits;
  readonly pepper: KeyObject;
  /** Records effects on credentials with them. Absent where nothing is recorded. */
  readonly auditedWrite?: AuditedWrite | undefined;
  readonly integrity: RowIntegrity;
  /** Those of the set, and of services added to it. */
  readonly credentialRules: CredentialRules;
}

export interface ServiceSet<S extends Services = Services> {
  /** In every version; of each service, the newest last. */
  readonly services: readonly Service[];
  readonly credentialRules: CredentialRules;
  /** The engine, and the services that bring tables. */
  readonly owners: readonly TableOwner[];
  /** Returns the objects of services that all transactions of a store share. */
  sharedObjects(engine: Engine, config: Config): SharedObjects;
  compose(config: Config, dependencies: ServiceDependencies): S;
}
