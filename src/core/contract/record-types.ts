/** The record types of a service: schemas with one name are one type in XML, with the fields of all of them. */

import { memoizeWeakly } from '../lib/index.ts';
import { elementName, elementPrefix, type Operation } from './operation.ts';
import { type Field, headerFieldOf, isRepeated, type ObjectSchema, orderedNames, type Schema } from './schema.ts';
import { elementAround, namedOperations, namespacesOf, type Service } from './service.ts';
import { walk } from './walk.ts';

export interface RecordMember {
  readonly name: string;
  /** The field in each of the schemas that have it. */
  readonly fields: readonly Field[];
  /** Always there. */
  readonly isMandatory: boolean;
  readonly isNillable: boolean;
  /** An answer without the field has an empty element. */
  readonly isEmptyInstead: boolean;
  /** An attribute of the element, and no element of its own. */
  readonly isAttribute: boolean;
  /** The text of the element. */
  readonly isText: boolean;
}

export interface RecordType {
  readonly namespace: string;
  readonly name: string;
  /** In an order that keeps that of every schema. */
  readonly members: readonly RecordMember[];
  /** The qualified name of the type that it extends. */
  readonly base?: string;
  /** No value is of the type itself. */
  readonly isAbstract?: true;
  /** Messages may name it (`xsi:type`). */
  readonly isNamed?: true;
  /** Its elements may have any other attribute. */
  readonly hasOtherAttributes?: true;
  /** Elements that may be mixed in any order. */
  readonly ordered?: readonly string[];
  /** Text may stand between its elements. */
  readonly isMixed?: true;
}

/** What the content of an object's element is, besides its members. */
export function contentTraits(
  schemas: readonly ObjectSchema[],
): Pick<RecordType, 'hasOtherAttributes' | 'ordered' | 'isMixed'> {
  const ordered = [...new Set(schemas.flatMap(orderedNames))];
  return {
    ...(schemas.some((each) => each.attributesField !== undefined) && { hasOtherAttributes: true }),
    ...(ordered.length > 0 && { ordered }),
    ...(schemas.some((each) => each.mixedField !== undefined) && { isMixed: true }),
  };
}

/**
 * Whether the element of a message has a type with a name: one of another namespace than the element, or one in whose place others stand.
 * Others hold their fields themselves, and so does an element that is a text alone.
 */
export function isTypedMessage(operation: Operation, side: 'input' | 'output', service: Service): boolean {
  if (elementAround(service, operation, side) !== undefined || elementName(operation, side) === '') return false;
  const { own } = namespacesOf(service);
  const { fields, namespace = own, variants } = operation[side];
  const members = Object.values(fields).filter(({ xml }) => xml !== 'header');
  const isText = members.length > 0 && members.every(({ xml }) => xml === 'text');
  if (service.soapStyle === 'rpc' || isText) return false;
  return variants !== undefined || namespace !== (elementPrefix(operation, side) ?? own);
}

/** The types by `qualifiedName`, sorted by it. Inputs and outputs that are the content of an operation's element have no type. */
export const recordTypes = memoizeWeakly((service: Service): ReadonlyMap<string, RecordType> => {
  const schemas = new Map<string, Set<ObjectSchema>>();
  const add = (schema: ObjectSchema) => {
    const name = qualifiedName(schema, service);
    schemas.set(name, (schemas.get(name) ?? new Set()).add(schema));
  };
  const operations = namedOperations(service);
  // What callers send comes first, also in the documentation of an element.
  for (const side of ['input', 'output'] as const)
    for (const operation of operations) {
      const root = operation[side];
      const isContent =
        elementAround(service, operation, side) === undefined && !isTypedMessage(operation, side, service);
      const header = headerOf(root);
      eachObject(root, (schema) => {
        if (schema !== header && (schema !== root || !isContent)) add(schema);
      });
    }
  for (const { detail } of operations.flatMap(({ faults = [] }) => faults)) eachObject(detail, add);
  const { own } = namespacesOf(service);
  return new Map(
    [...schemas]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([qualified, [first, ...others]]) => {
        const { namespace = own, name } = first!;
        const base = [first!, ...others].find((each) => each.extends !== undefined)?.extends;
        const isAbstract = [first!, ...others].some((each) => each.isAbstract);
        const type: RecordType = {
          namespace,
          name,
          members: membersOfAll([first!, ...others], service),
          ...(base !== undefined && { base: `${base.namespace ?? own}:${base.name}` }),
          ...(isAbstract && { isAbstract }),
          ...([first!, ...others].some(({ typeField }) => typeField !== undefined) && { isNamed: true as const }),
          ...contentTraits([first!, ...others]),
        };
        return [qualified, type];
      }),
  );
});

/** Each object after those in it. */
function eachObject(schema: Schema, visit: (object: ObjectSchema) => void): void {
  const nothing = () => undefined;
  walk<void>(schema, {
    scalar: nothing,
    joined: nothing,
    list: nothing,
    map: nothing,
    object: visit,
    variants: nothing,
    self: nothing,
  });
}

/** The object of the header blocks of a message, which is no type. */
function headerOf(message: ObjectSchema): Schema | undefined {
  const name = headerFieldOf(message);
  return name === undefined ? undefined : message.fields[name]?.schema;
}

/** Fields that are neither elements nor attributes of the object's element. */
const besidesContent: ReadonlySet<NonNullable<Field['xml']>> = new Set([
  'header',
  'attachment',
  'type',
  'attributes',
  'mixed',
  'order',
]);

/** The members of an operation's element that holds the fields itself. */
export function membersOf({ fields }: ObjectSchema, service: Service): readonly RecordMember[] {
  const inBody = Object.entries(fields).filter(([, { xml }]) => xml === undefined || !besidesContent.has(xml));
  return inBody.map(([name, field]) => memberOf(name, [field], isMandatory(field, service)));
}

/** `payment:Card` */
export function qualifiedName({ namespace, name }: ObjectSchema, service: Service): string {
  return `${namespace ?? namespacesOf(service).own}:${name}`;
}

/** No stubs of earlier versions know attributes, so the contract alone decides about these. */
function isMandatory({ xml, required, mandatoryInStubs }: Field, { mandatoryFields = 'required' }: Service): boolean {
  switch (mandatoryFields) {
    case 'required':
      return required || mandatoryInStubs === 'nillable' || mandatoryInStubs === 'empty';
    case 'marked':
      return xml === 'attribute' ? required : mandatoryInStubs !== undefined;
    default:
      return mandatoryFields satisfies never;
  }
}

/** Throws TypeError for a field that is an attribute in one of the schemas only. */
function memberOf(name: string, fields: readonly Field[], isMandatory: boolean): RecordMember {
  const isAttribute = fields.every(({ xml }) => xml === 'attribute');
  if (!isAttribute && fields.some(({ xml }) => xml === 'attribute'))
    throw new TypeError(`${name} is an attribute in one schema and an element in another of the same name`);
  const isText = fields.every(({ xml }) => xml === 'text');
  const isElement = !isAttribute && !isText;
  const isNillable =
    isElement &&
    (isMandatory && !fields.some(({ schema }) => isRepeated(schema))
      ? fields.every(({ mandatoryInStubs }) => mandatoryInStubs === 'nillable')
      : fields.every(mayBeNil));
  const isEmptyInstead = isElement && isMandatory && fields.every((each) => each.mandatoryInStubs === 'empty');
  return { name, fields, isMandatory, isNillable, isEmptyInstead, isAttribute, isText };
}

/** XSD requires attributes of a nil element, too. */
function mayBeNil({ schema, nillable }: Field): boolean {
  const requiresAttribute =
    schema.kind === 'object' && schema.attributes.some((name) => schema.fields[name]?.required === true);
  if (isRepeated(schema)) return schema.nillableItems === true;
  return nillable !== false && !requiresAttribute;
}

function membersOfAll([first, ...others]: readonly ObjectSchema[], service: Service): readonly RecordMember[] {
  return others.map((each) => membersOf(each, service)).reduce(merge, membersOf(first!, service));
}

/** A member that only one of the two has is optional. */
function merge(known: readonly RecordMember[], added: readonly RecordMember[]): readonly RecordMember[] {
  const merged = known.map(({ name, fields, isMandatory }) => {
    const other = added.find((each) => each.name === name);
    return other
      ? memberOf(name, [...fields, ...other.fields], isMandatory && other.isMandatory)
      : memberOf(name, fields, false);
  });
  let at = 0;
  for (const { name, fields } of added) {
    const position = merged.findIndex((each) => each.name === name);
    if (position < 0) merged.splice(at, 0, memberOf(name, fields, false));
    at = position < 0 ? at + 1 : position + 1;
  }
  return merged;
}
