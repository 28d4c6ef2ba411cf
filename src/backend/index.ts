/** The store, the keys, the services and the upstreams of a process, and what a service is. */
export * from './backend.ts';
export { pauseAfterJumps } from './clock-check.ts';
export { credentialRulesOf, ownersOf, settingGroupsOf, webhookFormatsOf, withoutJobs } from './compose-services.ts';
export type * from './data-table.ts';
export * from './database-faults.ts';
export {
  createService,
  defineService,
  type EventContent,
  type GatewayService,
  type Importer,
  type ServiceDefinition,
  type ServiceParts,
  type TextScan,
} from './define-service.ts';
export * from './deprecation-faults.ts';
export { createDeprecationReport, LiveDeprecations, pollDeprecationsEveryMs } from './deprecations/live.ts';
export * from './erase.ts';
export type { Erasure } from './erasure.ts';
export { columnsText } from './import/columns.ts';
export {
  type ImportDependencies,
  type RefusedRow,
  RowConflict,
  type RowImporter,
  refuseSecrets,
} from './import/import-batch.ts';
export * from './import/import-file.ts';
export { jsonReader } from './import/jsonl.ts';
export { type Reason, reasonsOf, UnreadableFile, unreadable } from './import/row.ts';
export * from './key-provider.ts';
export * from './limits.ts';
export * from './open-cache.ts';
export * from './open-store.ts';
export {
  type ActionCommand,
  type ActionCommands,
  type ActionContext,
  type ActionHandlers,
  type CommandTexts,
  defineActions,
  type OpenedActions,
  type OperatorActions,
  type ServiceCommand,
} from './operator-actions.ts';
export type * from './panel.ts';
export { type ProcessReport, reportProcess, startedAt } from './process-report.ts';
export * from './production-checks.ts';
export * from './retention.ts';
export * from './server-audit.ts';
export * from './shadow/live.ts';
export { openCopies } from './shadow/open-copies.ts';
export { ShadowRefused, type ShadowStore, type StoredDifference } from './shadow/store.ts';
export * from './upstreams/describe.ts';
export * from './upstreams/look-up-pending.ts';
export { saveMappedCredential } from './upstreams/mapped-credentials.ts';
export { type GatewayCaller, withCallers } from './upstreams/named-callers.ts';
export { type OpenUpstreams, openUpstreams } from './upstreams/open.ts';
export type * from './upstreams/options.ts';
export * from './upstreams/plan.ts';
export { credentialFault, headersOf, type PlainCredential } from './upstreams/read-credentials.ts';
export { describeShadows, type ShadowAbout, shadowName, shadowsOf } from './upstreams/read-shadow.ts';
export { type ConfiguredUpstream, readUpstream } from './upstreams/read-upstream.ts';
export * from './upstreams/try-connection.ts';
export * from './upstreams/url-hint.ts';
