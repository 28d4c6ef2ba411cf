/** What a server tells of its requests: callers, deprecations, traces, traffic, recordings. */
export {
  type BrownOut,
  describeBrownOut,
  parseTimeOfDay,
  type RepeatedBrownOut,
  type Repetition,
  repetitions,
  type SingleBrownOut,
} from './callers/brown-out.ts';
export { createCallerOwners } from './callers/caller-owners.ts';
export type { CallerUse, DayCounts, OutcomeCounts, RecordedUse } from './callers/caller-record.ts';
export * from './callers/caller-records.ts';
export { createNameClient } from './callers/client-name.ts';
export { type Concern, compileConcern } from './callers/concerned.ts';
export * from './callers/csv.ts';
export * from './callers/deprecation.ts';
export * from './callers/deprecations.ts';
export {
  type InvalidDeprecation,
  type KnownDeprecation,
  type KnownDeprecations,
  mergeDeprecations,
} from './callers/known-deprecations.ts';
export { type LastRequest, markMasked, maskedMembers, openRequest } from './callers/last-request.ts';
export * from './callers/listed-caller.ts';
export * from './callers/noise.ts';
export * from './callers/readiness.ts';
export { type CallerRecorder, createCallerRecorder } from './callers/recorder.ts';
export { createRedisCallers, type RedisCallers } from './callers/redis/open.ts';
export { DeprecationRefused, type DeprecationStore, ruleLengthMax } from './callers/stored-deprecation.ts';
