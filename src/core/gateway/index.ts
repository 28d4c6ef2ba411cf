/** The path of a request, and the ports that it asks. */
export { type Answer, encodeFailure, type LogEntry, toProblem } from './answer.ts';
export { type Authenticator, anonymous, type MessageAuthenticator, type RequestOrigin } from './authentication.ts';
export { createBodyLimit } from './body-limit.ts';
export { compileChecks } from './checks.ts';
export { compose, type Implementation, type OperationHandlers, servicesOf } from './compose.ts';
export type * from './deprecations.ts';
export { detect } from './detect.ts';
export * from './handle-request.ts';
export type * from './handler-context.ts';
export { type Identified, identify } from './identify.ts';
export * from './observe-steps.ts';
export * from './request-observer.ts';
export * from './route.ts';
export { createTextScan, type SecretFound, secretsProblem } from './text-scan.ts';
export type * from './turns.ts';
