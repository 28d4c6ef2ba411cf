/** The parts of a schema that make up a type: what they declare, how often, and in which namespace. */
import type { Choice, Field, ObjectSchema, Schema } from '../../core/contract/index.ts';
import type { LocatedElement } from '../../core/xml/index.ts';
import { itemsMax } from '../../documents/index.ts';
import type { FindingCollector } from './findings.ts';
import { xsdUri } from './names.ts';
import type { Prefixes } from './prefixes.ts';
import { type Declared, qualifiesElements, type SchemaIndex } from './schema-index.ts';
import type { ReadType, SimpleTypes } from './simple-types.ts';

/** The fields of an object, as its type declares them. */
export interface Content {
  readonly fields: Readonly<Record<string, Field>>;
  readonly choices: readonly Choice[];
}

/** What the content of a type needs from the reading of types. */
export interface TypeReader {
  readonly index: SchemaIndex;
  readonly findings: FindingCollector;
  readonly prefixes: Prefixes;
  readonly simpleTypes: SimpleTypes;
  /** The type that an element names, or that stands in it. `name`: for a type without one. */
  typeOf(element: LocatedElement, declared: Declared, name: string): ReadType;
  /** As `typeOf`; what is too large for a message is XML as text, where it could only be left out. */
  elementType(declared: Declared, isOptional: boolean): ReadType;
  /** Whether nothing is known of the content of a type: it is being read, or is still to be read. */
  isUnread(schema: Schema): boolean;
  /** The object as it is read so far. */
  contentOf(schema: ObjectSchema): ObjectSchema;
  /** Set for an element that has its bytes in an Include (XOP). */
  namesInclude: boolean;
  /** Counts a part of a type that is read. Throws Unread for too many: groups and types can name each other exponentially often. */
  countPart(element: LocatedElement): void;
}

/** The children that declare something. */
export function elementChildren(element: LocatedElement): readonly LocatedElement[] {
  return element.children.filter(({ namespace, local }) => namespace === xsdUri && local !== 'annotation');
}

/** Numbers of 32 bits: others are no `maxOccurs` for stubs, and no message has as many. */
export function limitOf(maxOccurs: string): number {
  const number = Number(maxOccurs);
  return Number.isInteger(number) && number > 0 ? Math.min(number, 2 ** 31 - 1) : itemsMax;
}

/** The URI of the namespace of an element in messages; empty for none. */
export function namespaceOfElement({ element, schema }: Declared, isGlobal: boolean): string {
  const form = element.attributes.get('form');
  const isQualified = isGlobal || form === 'qualified' || (form !== 'unqualified' && qualifiesElements(schema));
  return isQualified ? schema.targetNamespace : '';
}
