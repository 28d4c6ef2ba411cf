/** Shows how long data is stored, and destroys what is over. */
import { randomUUID } from 'node:crypto';
import { configuredRetention, runRetention } from '../../backend/index.ts';
import { retentionMs } from '../../config/index.ts';
import { type OperatorHandlers, refuse } from '../operator.ts';
import type { retentionOperations } from './contract.ts';

const dayMs = 86_400_000;

export const retentionHandlers: OperatorHandlers<(typeof retentionOperations)[number]> = {
  async showRetention(_, { config, backend }) {
    const rules = [
      ...configuredRetention(config, backend.tables),
      // Servers delete records of callers in a task of their own.
      { subject: 'callerRecord', ms: config.callerDaysMax * dayMs },
      { subject: 'auditEntry', ms: retentionMs(config.auditDaysMax) },
    ];
    return { rules: rules.map(({ subject, ms }) => ({ subject, days: ms === undefined ? undefined : ms / dayMs })) };
  },

  async applyRetention({ acceptClock = false }, { config, backend }) {
    const fault = acceptClock ? undefined : await backend.clockCheck.findFault();
    if (fault !== undefined) refuse(fault);
    const destroyed = await runRetention(config, backend, randomUUID());
    return { destroyed: destroyed.map(({ subject, rows }) => ({ subject, rows })) };
  },
};
