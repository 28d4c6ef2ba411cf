/** Controls of a gateway inside a test: `triglyph/testing`. */

export type { Call } from '../testing/calls.ts';
export type { TestControls } from '../testing/controls.ts';
export { type BuiltInOptions, builtIn } from '../testing/demo/built-in.ts';
export type { Fault, FaultFilter } from '../testing/fault.ts';
export type { Faults } from '../testing/faults.ts';
export { type MockRules, mock } from '../testing/mock/mock.ts';
export type { RecordedAnswer } from '../testing/mock/recorded-answers.ts';
export type { ResourceAction, ResourceRule } from '../testing/mock/resources.ts';
export type { Span, TestClock } from '../testing/test-clock.ts';
export { type TestGateway, type TestGatewayOptions, withControls } from '../testing/test-gateway.ts';
