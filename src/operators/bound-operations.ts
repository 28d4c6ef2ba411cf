/** The operations that people of one tenant may call. Their handlers find the rows of the tenant alone, in a context of the console. */
import type { Operation } from '../core/contract/index.ts';
import { listAuditEntries } from './audit/contract.ts';
import { callerOperations } from './callers/contract.ts';
import * as credentials from './credentials/contract.ts';
import { listDeprecations } from './deprecations/contract.ts';
import { pendingOperations } from './pending/contract.ts';
import { exportMigrationReport, getMigrationReport, listCallerOwners } from './report/contract.ts';
import * as webhooks from './webhooks/contract.ts';

export const boundOperations: readonly Operation[] = Object.freeze([
  ...[credentials.listCredentials, credentials.addCredential, credentials.editCredential],
  ...[credentials.rotateCredential, credentials.revokeCredential],
  ...[credentials.setSecondFactor, credentials.replaceRecoveryCodes, credentials.removeSecondFactor],
  ...callerOperations,
  listDeprecations,
  ...[getMigrationReport, exportMigrationReport, listCallerOwners],
  // Addresses of endpoints are for operators: their checks find mistakes, not attacks.
  ...[webhooks.listWebhooks, webhooks.removeWebhookEndpoint, webhooks.rotateWebhookKey],
  ...[webhooks.listDeadLetters, webhooks.retryDeadLetter, webhooks.retryAllDeadLetters],
  ...pendingOperations,
  listAuditEntries,
]);
