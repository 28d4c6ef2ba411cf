/** The wire formats: bytes to canonical requests and back. */
export { decodeText } from './body-text.ts';
export { dateTimeFormat } from './date-time.ts';
export { type Node, treeOf } from './form/parse.ts';
export { reader as formReader } from './form/read.ts';
export { parseDecoded, parseText } from './json/parse.ts';
export * from './json/print.ts';
export { reader as jsonReader } from './json/read.ts';
export { limits, ownLimits, scan } from './json/scan.ts';
export * from './leniencies.ts';
export { isTooLarge, malformedBody } from './malformed-body.ts';
export { formDataType, formOfParts, multipartType, readRelated } from './multipart.ts';
export { unknownOperation } from './named-operation.ts';
export {
  type Call,
  type Decoded,
  type DecodedAnswer,
  type Media,
  type MessageHeader,
  OtherFormat,
  type Protocol,
  type Refusal,
  type Reply,
  type Target,
  type UpstreamTraits,
} from './protocol.ts';
export { defaultMessage, defaultType } from './refusal.ts';
export { type Attachments, lengthOf } from './related.ts';
export { canStream } from './rest/upstream-binding.ts';
export { securityProblem } from './security-fault.ts';
export * from './sent-body.ts';
export { addressing } from './soap/addressing.ts';
export * from './spool-body.ts';
export type * from './text-tools.ts';
export * from './unsupported-media.ts';
export * from './visit.ts';
export { acceptedMessage, type LargeBody, type Message, type Spooling, sentBody, type WireRequest } from './wire.ts';
export * from './wire-formats.ts';
