/** Records in the audit log of the configured store for commands that run without a backend. */

import type { AuditEvent } from '../../access/index.ts';
import { openBackend } from '../../backend/index.ts';
import type { Config } from '../../config/index.ts';
import { commandEvent, systemUser } from './audited-command.ts';
import { explain } from './command-error.ts';
import { projectServices, readProjectConfig } from './project.ts';

/** Records the command, and then `event`, by default in the configured store. Without configured keys nothing can be added to the log. */
export async function recordInStore(event?: AuditEvent, store: Partial<Config> = {}): Promise<void> {
  const config = { ...readProjectConfig('production'), ...store };
  if (config.keys === undefined || !config.audit) return;
  const backend = await openBackend(config, { exclusive: false, actor: systemUser() }, projectServices());
  try {
    await backend.audit.append([commandEvent(), event].filter((each) => each !== undefined));
  } finally {
    await backend.close();
  }
}

/** Says on standard error that the audit log lacks what was done, and why. */
export function reportUnrecorded(thrown: unknown): void {
  process.stderr.write(`triglyph: the audit log does not have this: ${explain(thrown).join(' ')}\n`);
}
