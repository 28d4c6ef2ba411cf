/** Operations that another server answers: connections, retries, circuits, shadows, and comparisons of answers. */
export {
  type ComparedAnswer,
  compareAnswers,
  type DifferenceGroup,
  DifferenceTally,
  type TallySnapshot,
} from './compare/compare-answers.ts';
export { type Difference, IdPairs } from './compare/compare-values.ts';
export * from './compare/learn-rules.ts';
export * from './compare/recorded-request.ts';
export {
  type AcceptedText,
  compileRules,
  RuleError,
  type Rules,
  type RuleTexts,
  unusedPaths,
} from './compare/rules.ts';
export * from './compared-answer.ts';
export * from './comparisons.ts';
export * from './create-upstream.ts';
export type * from './events.ts';
export { failureIn } from './failure.ts';
export { forwardCredential, forwardInQuery } from './headers.ts';
export type { ClientCredentials, ServerErrorsOption, UnknownMembersOption, UpstreamCredentials } from './options.ts';
export * from './outcome-lookup.ts';
export type { SessionOptions, SessionValue } from './sessions.ts';
export type { Side } from './shadow/compare-copy.ts';
export type {
  CopyMessage,
  CopyReply,
  CopyResult,
  CopySetup,
  SendCopy,
  SideSetup,
  ToCopyProcess,
} from './shadow/copy-messages.ts';
export { noCounts, restartCounts, type SwitchCounts, whyRollBack } from './shadow/rollback.ts';
export * from './shadow/shadow.ts';
export type { Share } from './shadow/shares.ts';
export type { BlockContent, ConfiguredBlock, SoapOptions } from './soap-headers.ts';
export { type SecurityOptions, signatureAlgorithmOf } from './ws-security.ts';
