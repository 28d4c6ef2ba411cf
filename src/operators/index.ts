/** What operators do, for commands and the console. */
export { listAuditEntries, verifyAuditLog } from './audit/contract.ts';
export * from './bound-operations.ts';
export { assessReadiness, exportCallers, getReplacementCall, listCallers } from './callers/contract.ts';
export {
  addCredential,
  editCredential,
  listCredentials,
  listUpstreamCredentials,
  removeSecondFactor,
  removeUpstreamCredential,
  replaceRecoveryCodes,
  revokeCredential,
  rotateCredential,
  setSecondFactor,
  setUpstreamCredential,
} from './credentials/contract.ts';
export {
  addDeprecation,
  endExemption,
  exemptCaller,
  listDeprecations,
  previewDeprecation,
  removeDeprecation,
  replaceDeprecation,
} from './deprecations/contract.ts';
export { listKeys, rotateKeys, shownMax, signRows, verifyRows } from './keys/contract.ts';
export {
  acts,
  auditedFieldsOf,
  boundTenantOf,
  count,
  inPath,
  longText,
  moment,
  name,
  type OwnProof,
  operatorProblems,
  operatorRoles,
  ownProof,
  reads,
  roles,
  rows,
  text,
  values,
} from './operation.ts';
export { type OperatorContext, refuse } from './operator.ts';
export {
  findIdempotencyRecord,
  getPendingRequest,
  listPendingRequests,
  settlePendingRequest,
} from './pending/contract.ts';
export * from './pending/settlement-file.ts';
export { acceptLoss } from './records/contract.ts';
export {
  exportMigrationReport,
  getMigrationReport,
  listCallerOwners,
  removeCallerOwner,
  saveComparison,
  setCallerOwner,
} from './report/contract.ts';
export { applyRetention, showRetention } from './retention/contract.ts';
export {
  acceptShadowDifference,
  listShadowDifferences,
  listShadows,
  reopenShadowDifference,
  setShadowShare,
  switchBack,
  switchToShadow,
} from './shadow/contract.ts';
export { allOperatorProblems, type ContributedActions, operationsBySubject, perform } from './subjects.ts';
export {
  addWebhookEndpoint,
  listDeadLetters,
  listJobs,
  listWebhooks,
  removeWebhookEndpoint,
  retryAllDeadLetters,
  retryDeadLetter,
  rotateWebhookKey,
} from './webhooks/contract.ts';
