/** What a serving process records in the audit log: its start with its settings, its keys, card data that it returned, its end. */
import { userInfo } from 'node:os';
import { type AuditTrail, createRequestAudit, gatewayActor, type RequestAudit } from '../access/index.ts';
import type { Config } from '../config/index.ts';
import { type PeriodicTask, startPeriodicTask } from '../core/lib/index.ts';
import { type Log, logFailure, type Metrics } from '../http/index.ts';
import type { Backend } from './backend.ts';

export interface ServerAudit {
  /** Absent where nothing is recorded. */
  readonly requests: RequestAudit | undefined;
  /** Records the start, and begins to store what is recorded. */
  start(): void;
  /** Records the end, and stores everything. Does nothing where the start was not recorded. */
  stop(): Promise<void>;
}

/** A crash loses what was recorded since the last time. */
const flushEveryMs = 1_000;
/** How long reads of card data are counted together. */
const countEveryMs = 60_000;

export function createServerAudit(
  config: Config,
  { audit, auditLog, auditCopy, rotation, processName }: Backend,
  { log, metrics }: { readonly log: Log; readonly metrics: Metrics },
): ServerAudit {
  if (!config.audit) return noServerAudit;
  const requests = createRequestAudit(audit);
  const count = metrics.addEventCounter({
    name: 'triglyph_audit_events_total',
    help: 'Failures of the audit log: notStored (a batch, which is stored later), notCopied (a batch, which is copied later).',
  });
  const failed = (thrown: unknown): void => {
    count('notStored');
    logFailure(log, thrown, 'storing the audit log failed');
  };
  const notCopied = (thrown: unknown): void => {
    count('notCopied');
    logFailure(log, thrown, 'copying the audit log failed');
  };
  auditCopy?.listen(notCopied);
  const storeAndFollow = async (): Promise<void> => {
    await audit.flush();
    await auditLog.follow();
  };
  let isCopying = false;
  // Nothing waits for it: a target may hang.
  const copy = async (): Promise<void> => {
    if (isCopying || auditCopy === undefined) return;
    isCopying = true;
    auditCopy
      .copyNew()
      .catch(notCopied)
      .finally(() => {
        isCopying = false;
      });
  };
  let tasks: readonly PeriodicTask[] = [];
  return Object.freeze<ServerAudit>({
    requests,
    start() {
      recordStart(config, audit, processName);
      audit.recordOnce({ kind: 'keyUsed', actor: gatewayActor, subject: rotation.wrapping.current });
      tasks = [
        startPeriodicTask(storeAndFollow, flushEveryMs, failed),
        startPeriodicTask(copy, flushEveryMs, notCopied),
        startPeriodicTask(async () => requests.recordCounts(), countEveryMs, failed),
      ];
    },
    async stop() {
      if (tasks.length === 0) return;
      await Promise.all(tasks.map((task) => task.stop()));
      requests.recordCounts();
      audit.record({ kind: 'stopped', actor: gatewayActor, subject: processName });
      await audit.flush().catch(failed);
    },
  });
}

const noServerAudit: ServerAudit = Object.freeze<ServerAudit>({
  requests: undefined,
  start: () => {},
  stop: async () => {},
});

function recordStart({ reports, mode, environment }: Config, audit: AuditTrail, processName: string): void {
  const detail = { mode, environment, user: userName() };
  audit.record({ kind: 'started', actor: gatewayActor, subject: processName, detail });
  // Defaults are those of the documentation. Secrets are hidden already.
  const given = reports.filter(({ source }) => source !== 'default');
  audit.record({
    kind: 'configuration',
    actor: gatewayActor,
    subject: 'settings',
    detail: Object.fromEntries(given.map(({ name, value, source }) => [name, `${value} (${source})`])),
  });
}

/** The user of the process; its number where the system has no name for it. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
