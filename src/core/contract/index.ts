/** The contract language: schemas, operations, services, versions, problems, and the walks over schemas. */
export * from './attachments.ts';
export type * from './canonical.ts';
export * from './card-numbers.ts';
export { appendLuhnDigit, modulo97 } from './check-digits.ts';
export * from './conventions.ts';
export * from './credential-place.ts';
export * from './deprecation.ts';
export * from './extras.ts';
export * from './header-names.ts';
export { base64Length, parser, printable } from './lexical.ts';
export {
  attributeMark,
  foreignMark,
  foreignName,
  isName,
  label,
  mayHoldNumber,
  ownMembers,
  printableName,
  withoutMark,
} from './member-names.ts';
export * from './older-version.ts';
export {
  type BoundOperation,
  bodyFieldsOf,
  type Effect,
  elementName,
  elementPrefix,
  type Fault,
  faultOf,
  type GrantedField,
  type HttpBinding,
  hidesDotSegment,
  type Input,
  isBound,
  isDotSegment,
  isFormType,
  isJsonType,
  isSoapAction,
  locationOf,
  type MessageElements,
  type Method,
  namesInPath,
  type Operation,
  type Output,
  operation,
  type ParameterStyle,
  parameterStyles,
  type SoapActions,
  sendsQuery,
  sidesOf,
  soapActionOf,
  splitByLocation,
  type Transitions,
  type UpstreamAnswer,
  type UpstreamBinding,
  type UpstreamBody,
  type UpstreamParameter,
} from './operation.ts';
export * from './path.ts';
export * from './problem.ts';
export * from './problem-details.ts';
export * from './read.ts';
export * from './record-types.ts';
export * from './recursive.ts';
export * from './redaction.ts';
export * from './retry.ts';
export * from './roles.ts';
export * from './scalar.ts';
export {
  attachedFieldsOf,
  type Choice,
  type Field,
  type FieldLocation,
  type FieldOptions,
  type Fields,
  fieldOf,
  headerFieldOf,
  holdsAnyElement,
  holdsContent,
  holdsName,
  type IgnoredMembers,
  type Infer,
  type InferFields,
  isEntries,
  isRepeated,
  isScalar,
  type JsonType,
  joined,
  jsonTypesOf,
  type ListOptions,
  type ListSchema,
  list,
  type MapSchema,
  map,
  mapOf,
  mayHaveAttributes,
  type ObjectOptions,
  type ObjectSchema,
  object,
  optional,
  orderedNames,
  type PolymorphicSchema,
  polymorphic,
  type Recursion,
  required,
  type Schema,
  type SetSchema,
  schemaAt,
  typeNameOf,
  variantChooser,
  variantOf,
} from './schema.ts';
export { isSecretName, maskText } from './secret-text.ts';
export * from './service.ts';
export * from './text-detector.ts';
export { cacheOffsets, isTimeZone, knownToPlatform } from './time-zone.ts';
export { callWhole, type Member, mapItems, namespaceOf, partsIn, type Visited, walk } from './walk.ts';
