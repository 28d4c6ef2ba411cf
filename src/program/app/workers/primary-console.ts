/** The console in the primary process, which has a store of its own for it: workers serve callers only. */

import { readFileSync } from 'node:fs';
import {
  createLoginGuard,
  createLoginReports,
  flushUsesEveryMs,
  LoginLimits,
  refreshLimitsEveryMs,
} from '../../../access/index.ts';
import { type ConsoleContext, lazyConsole } from '../../../console/index.ts';
import { servicesOf } from '../../../core/gateway/index.ts';
import { startPeriodicTask } from '../../../core/lib/index.ts';

export interface PrimaryConsoleParts
  extends Pick<ConsoleContext, 'config' | 'backend' | 'plan' | 'readiness' | 'processes' | 'traffic' | 'deprecations'> {
  /** The address for callers. */
  readonly callers: string;
  readonly report: (text: string) => void;
}

/** A crash loses what was recorded since the last time. */
const flushEveryMs = 1_000;

/** Throws `StoreUnavailable`. */
export async function openPrimaryConsole({ callers, report, ...parts }: PrimaryConsoleParts) {
  const { config, backend } = parts;
  const { audit, limits, credentialUses } = backend;
  const failed = (what: string) => (thrown: unknown) => report(`${what}: ${String(thrown)}`);
  // Workers count refused log-ins of callers in the metrics. Here the audit log has them.
  const reports = createLoginReports(audit, () => {});
  const guard = createLoginGuard(new LoginLimits(config, limits), reports.report);
  await limits.refresh();
  const site = lazyConsole({
    ...parts,
    services: servicesOf(backend.services.implementations),
    callers: () => callers,
    // Read each time: workers read the file again when it changes.
    certificate: () => (config.tlsCertFile === undefined ? undefined : readFileSync(config.tlsCertFile, 'utf8')),
    guard,
    failed: failed('the console failed'),
  });
  const tasks = [
    startPeriodicTask(audit.flush, flushEveryMs, failed('storing the audit log failed')),
    startPeriodicTask(credentialUses.flush, flushUsesEveryMs, failed('saving the last use of credentials failed')),
    startPeriodicTask(limits.refresh, refreshLimitsEveryMs, failed('reading the counts of limits failed')),
  ];
  return Object.freeze({
    options: { site, options: config, failed: failed('a request to the console failed') },
    /** Ends what is open, and stores what was recorded. */
    async close(): Promise<void> {
      site.close();
      await Promise.all(tasks.map((task) => task.stop()));
      reports.flush();
      await credentialUses.flush().catch(failed('saving the last use of credentials failed'));
      await audit.flush().catch(failed('storing the audit log failed'));
    },
  });
}
