/** XML: elements, the two readers, printing, limits. */
export * from './decode.ts';
export * from './doctype.ts';
export {
  type Attribute,
  attribute,
  type Element,
  type ElementPlace,
  isBlank,
  isWithoutContent,
  resolvePrefix,
  type Scope,
  textOf,
} from './element.ts';
export * from './indent.ts';
export * from './limits.ts';
export * from './located.ts';
export { type AttributePlace, Malformed, type Markup, type Position, parse, parseWithPlaces } from './parse.ts';
export * from './print.ts';
export * from './serialize.ts';
