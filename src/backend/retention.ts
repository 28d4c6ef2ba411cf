/** Destroys what is stored for longer than the settings allow, and records it in the audit log. */
import { setTimeout } from 'node:timers/promises';
import { gatewayActor } from '../audit/audit-event.ts';
import type { Config } from '../config/config.ts';
import { retentionMs } from '../config/days.ts';
import { applyRetention, type DestroyedRows, type RetentionRule } from '../store/retention.ts';
import { engineRetention } from '../store/sql/retention-rules.ts';
import type { Backend } from './backend.ts';
import type { Services } from './service-set.ts';

export function retentionRules(config: Config, services: Services): readonly RetentionRule[] {
  const { deadLetterDaysMax, importProgressDaysMax } = config;
  const own = { deadLetterMs: retentionMs(deadLetterDaysMax), importProgressMs: retentionMs(importProgressDaysMax) };
  return [...services.retention, ...engineRetention(own)];
}

/** One run. Does nothing where another process runs it. `owner`: names the process among those that share the store. */
export async function runRetention(
  config: Config,
  backend: Backend<Services>,
  owner: string,
  isStopped: () => boolean = () => false,
): Promise<readonly DestroyedRows[]> {
  const { store, context, services, audit, auditLog } = backend;
  const { clock } = context;
  const rules = retentionRules(config, services);
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
