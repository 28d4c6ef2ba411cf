/** Destroys what is stored for longer than the settings allow, and records it in the audit log. */
import { setTimeout } from 'node:timers/promises';
import { gatewayActor } from '../access/index.ts';
import { type Config, retentionMs, settingNamed } from '../config/index.ts';
import { applyRetention, type DestroyedRows, type RetentionRule, retentionRules, type Table } from '../stores/index.ts';
import type { Backend } from './backend.ts';

/** The rules of all tables, with the days of the configuration. Throws where a table names a setting that there is not. */
export function configuredRetention(config: Config, tables: readonly Table[]): readonly RetentionRule[] {
  return retentionRules(tables, ({ name, retention }) => {
    if (retention?.days !== undefined) return retentionMs(retention.days);
    const days = retention === undefined ? undefined : settingNamed(config, retention.setting);
    if (typeof days !== 'number')
      throw new TypeError(`${name} is kept as ${retention?.setting} says, which is no setting`);
    return retentionMs(days);
  });
}

/** One run. Does nothing where another process runs it. `owner`: names the process among those that share the store. */
export async function runRetention(
  config: Config,
  backend: Backend,
  owner: string,
  isStopped: () => boolean = () => false,
): Promise<readonly DestroyedRows[]> {
  const { store, context, tables, audit, auditLog } = backend;
  const { clock } = context;
  const rules = configuredRetention(config, tables);
  const destroyed = await applyRetention({ store, clock, rules, owner, pause: (ms) => setTimeout(ms), isStopped });
  if (destroyed.length > 0) {
    await audit.append(
      destroyed.map(({ subject, before, rows }) => ({
        kind: 'destroyed',
        actor: gatewayActor,
        subject,
        detail: { rows, before: new Date(before).toISOString() },
      })),
    );
    await backend.scrub();
  }
  const auditMs = retentionMs(config.auditDaysMax);
  // The log itself records what leaves it.
  if (auditMs !== undefined && config.audit && !isStopped())
    await auditLog.removeBefore(clock.now() - auditMs, () => setTimeout(pauseMs));
  return destroyed;
}

const pauseMs = 100;
