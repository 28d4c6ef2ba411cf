/** All migrations in their order. One that has landed is never edited: what it did wrong, the next one mends. */
import type { Migration } from '../migration.ts';
import { firstTables } from './0001-first-tables.ts';
import { journal } from './0002-journal.ts';
import { copyProgress } from './0003-copy-progress.ts';
import { holders } from './0004-holders.ts';
import { cardChanges } from './0005-card-changes.ts';
import { jobs } from './0006-jobs.ts';
import { webhookEndpoints } from './0007-webhook-endpoints.ts';
import { gatheredChecks } from './0008-gathered-checks.ts';
import { balancePlatform } from './0009-balance-platform.ts';
import { plainNames } from './0010-plain-names.ts';
import { writeCheck } from './0011-write-check.ts';
import { credentialGrants } from './0012-credential-grants.ts';
import { jobSequences } from './0013-job-sequences.ts';
import { shopperNotifications } from './0014-shopper-notifications.ts';
import { pendingRequests } from './0015-pending-requests.ts';
import { upstreamCredentials } from './0016-upstream-credentials.ts';
import { callerRecords } from './0017-caller-records.ts';
import { auditLog } from './0018-audit-log.ts';
import { leastPrivilege } from './0019-least-privilege.ts';
import { refusedImportRows } from './0020-refused-import-rows.ts';
import { pepperIds } from './0021-pepper-ids.ts';
import { retention } from './0022-retention.ts';
import { rowMacs } from './0023-row-macs.ts';
import { recordVacuum } from './0024-record-vacuum.ts';
import { deprecations } from './0025-deprecations.ts';
import { webhookMacs } from './0026-webhook-macs.ts';
import { balancePlatformMacs } from './0027-balance-platform-macs.ts';
import { announcedChangeMacs } from './0028-announced-change-macs.ts';
import { auditAnchor } from './0029-audit-anchor.ts';
import { limitCounts } from './0030-limit-counts.ts';
import { sealedLegalEntities } from './0031-sealed-legal-entities.ts';

export const migrations: readonly Migration[] = Object.freeze([
  firstTables,
  journal,
  copyProgress,
  holders,
  cardChanges,
  jobs,
  webhookEndpoints,
  gatheredChecks,
  balancePlatform,
  plainNames,
  writeCheck,
  credentialGrants,
  jobSequences,
  shopperNotifications,
  pendingRequests,
  upstreamCredentials,
  callerRecords,
  auditLog,
  leastPrivilege,
  refusedImportRows,
  pepperIds,
  retention,
  rowMacs,
  recordVacuum,
  deprecations,
  webhookMacs,
  balancePlatformMacs,
  announcedChangeMacs,
  auditAnchor,
  limitCounts,
  sealedLegalEntities,
]);
