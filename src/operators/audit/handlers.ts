/** Reads and verifies the audit log. */
import { auditKinds } from '../../access/index.ts';
import type { OperatorHandlers } from '../operator.ts';
import { parseTime } from '../time.ts';
import type { auditOperations } from './contract.ts';

const pageSize = 50;

export const auditHandlers: OperatorHandlers<(typeof auditOperations)[number]> = {
  async listAuditEntries({ max = pageSize, since, until, ...filter }, { backend, config }) {
    const now = backend.context.clock.now();
    const times = {
      since: since === undefined ? undefined : parseTime('since', since, now, 'back'),
      until: until === undefined ? undefined : parseTime('until', until, now, 'back'),
    };
    const found = await backend.auditLog.list({ ...filter, ...times, max: max + 1 });
    const newestFirst = found.toReversed();
    return {
      isRecorded: config.audit,
      kinds: auditKinds,
      entries: newestFirst.slice(0, max),
      hasMore: newestFirst.length > max,
    };
  },

  async verifyAuditLog(_, { backend }) {
    const verified = await backend.auditLog.verify();
    const { entries = 0, faults = [] } = verified ?? {};
    return { isWhole: faults.length === 0, isEmpty: verified === undefined, entries, faults };
  },
};
