/** Prints the report of a migration as CSV: a row for each credential. */
import { formatCsv } from '../../insight/index.ts';
import type { MigrationReport } from './build-report.ts';

const columns = [
  ...(['credential', 'username', 'tenant', 'owner', 'address', 'state', 'risk', 'reasons', 'formats'] as const),
  ...(['requests', 'ending', 'lastUsedAt', 'lastEndingAt'] as const),
] as const;

/** Texts that a spreadsheet would take for formulas begin with an apostrophe. */
export function printCsv({ callers }: MigrationReport): string {
  const rows = callers.map((each) => ({
    ...{ credential: each.credential, username: each.username ?? '', tenant: each.tenant ?? '' },
    ...{ owner: each.owner ?? '', address: each.address ?? '', state: each.state, risk: each.risk },
    ...{
      reasons: each.reasons.join('; '),
      formats: each.formats.join(' '),
      requests: each.requests,
      ending: each.ending,
    },
    lastUsedAt: new Date(each.lastUsedAt).toISOString(),
    lastEndingAt: each.lastEndingAt === undefined ? '' : new Date(each.lastEndingAt).toISOString(),
  }));
  return formatCsv(rows, columns);
}
