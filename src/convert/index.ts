/** Messages converted from one wire format to another, and requests as programs that send them. */
export { type LanguageName, languageNames, languages, printCallSource } from './call-source.ts';
export * from './conversion.ts';
export { ConversionError } from './conversion-error.ts';
export * from './convert.ts';
export { depthMax, draftOf, isDraftObject } from './draft/draft.ts';
export * from './draft/draft-of-value.ts';
export type { EditedRequest, PlacedIssue, WrittenRequest } from './draft/edited-request.ts';
export * from './draft/message-editor.ts';
export { splitHttpMessage } from './http-message.ts';
export type { MessageHints, MessageSide } from './identify-message.ts';
export { quote } from './languages/curl.ts';
export type { MessagePlace } from './locate.ts';
export * from './replacement-call.ts';
export { type Change, changeTexts } from './scalar-changes.ts';
export { writeMessages } from './write-messages.ts';
