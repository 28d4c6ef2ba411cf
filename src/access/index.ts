/** Who callers are, what they may do, and the audit log. */
export * from './audit/audit-copy.ts';
export * from './audit/audit-event.ts';
export { type AuditLog, StoredAuditLog } from './audit/audit-log.ts';
export { type AuditTrail, createAuditTrail, noAuditTrail } from './audit/audit-trail.ts';
export * from './audit/audited-write.ts';
export * from './audit/copy/compare.ts';
export { formatEntry, openEntryWriter } from './audit/copy/copy.ts';
export { type CopyTarget, parseCopyTarget } from './audit/copy/target.ts';
export { auditTables } from './audit/tables.ts';
export * from './authenticate.ts';
export type { IssuedSecret, NewCertificateCredential, NewCredential } from './credentials/add-credential.ts';
export type { ListedCredential } from './credentials/credential-list.ts';
export {
  type CredentialChanges,
  type CredentialRegistry,
  createCredentialRegistry,
} from './credentials/credential-registry.ts';
export {
  type CredentialKind,
  type CredentialRules,
  checkTenant,
  type GrantRule,
  type Grants,
  RegistryError,
  rolesOf,
  type StoredKind,
} from './credentials/credential-rules.ts';
export * from './credentials/credential-uses.ts';
export {
  type Credentials,
  createCredentials,
  type PresentedCredential,
  type PresentedSecret,
} from './credentials/credentials.ts';
export * from './credentials/live-credentials.ts';
export { findCredentialsOfOtherPeppers } from './credentials/rehash-secret.ts';
export { createSecondFactors, type SecondFactorRules, withSecondFactor } from './credentials/second-factor.ts';
export { pepperKeys } from './credentials/secret-hash.ts';
export * from './credentials/upstream-credentials.ts';
export * from './forwarded-credentials.ts';
export * from './limits/answer-pace.ts';
export { FairTurns } from './limits/fair-turns.ts';
export { createLimitCounts } from './limits/limit-counts.ts';
export * from './limits/limits.ts';
export { LoginLimits } from './limits/login-limits.ts';
export { Quota, type QuotaReached } from './limits/quota.ts';
export * from './limits/redis-counts.ts';
export type { SharedCounts } from './limits/shared-counts.ts';
export { createLoginGuard, type LoginGuard } from './login-guard.ts';
export * from './login-reports.ts';
export * from './message-security.ts';
export { createRequestAudit, type RequestAudit } from './request-audit.ts';
export * from './secret-reports.ts';
export {
  callerOwners,
  callerRecordDays,
  callerRecords,
  callerTables,
  comparisons,
  credentialSecrets,
  credentials,
  deprecationExemptions,
  deprecations,
} from './tables.ts';
