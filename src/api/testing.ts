/** A gateway inside a test: `triglyph/testing`. */
export { type BuiltInOptions, builtIn } from '../demo/built-in.ts';
export type { Call } from '../testing/calls.ts';
export type { Fault, FaultFilter } from '../testing/fault.ts';
export type { Span } from '../testing/test-clock.ts';
export { createGateway, type GatewayOptions, type TestGateway } from '../testing/test-gateway.ts';
