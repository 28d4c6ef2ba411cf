/** Places in a message: what the contract says of the values there. */
import { elementName, type Operation } from '../../../contract/operation.ts';
import type { Field, ObjectSchema, Schema } from '../../../contract/schema.ts';

/** A part of a message around the schemas of an operation, such as a SOAP envelope. */
export interface Frame {
  readonly kind: 'frame';
  below(name: string): Place;
}

/** A part of a message whose texts are shown, whatever their names. */
export interface Texts {
  readonly kind: 'texts';
}

/** Undefined for what no contract describes. */
export type Place = Schema | Frame | Texts | undefined;

/** The place of a member, or of an item, by the name that the message has for it. */
export function below(place: Place, name: string): Place {
  if (place === undefined) return undefined;
  switch (place.kind) {
    case 'frame':
      return place.below(name);
    case 'texts':
      return place;
    case 'object':
      return fieldOf(place, name)?.schema;
    case 'list':
      if (place.joined) return undefined;
      if (name === place.itemName || place.anyItemName === true || /^\d{1,6}$/.test(name)) return place.item;
      return below(place.item, name);
    default:
      return undefined;
  }
}

/** Whether texts there may be shown: the contract has the member, and does not call it sensitive. */
export function isShown(place: Place): boolean {
  if (place === undefined) return false;
  switch (place.kind) {
    case 'string':
      return !place.sensitive && !place.neverStored;
    case 'dateTime':
      return place.neverStored !== true;
    case 'list':
      return place.joined || isShown(place.item);
    case 'integer':
    case 'decimal':
    case 'double':
    case 'boolean':
    case 'date':
    case 'enum':
    case 'texts':
      return true;
    // Nothing says what callers put into bytes and into maps.
    case 'binary':
    case 'map':
    case 'object':
    case 'frame':
      return false;
    default:
      return place satisfies never;
  }
}

/** The place of the body of a request. */
export function requestPlace(format: string, operation: Operation): Place {
  switch (format) {
    case 'soap11':
    case 'soap12':
      return envelope(operation, 'input');
    case 'adapter':
      return frame({ [lowerFirst(operation.input.name)]: operation.input, action: refusalPlace });
    default:
      return operation.input;
  }
}

/** The place of the body of an answer that is no refusal. */
export function answerPlace(format: string, operation: Operation): Place {
  switch (format) {
    case 'soap11':
    case 'soap12':
      return envelope(operation, 'output');
    case 'adapter':
      return frame({ [lowerFirst(operation.output.name)]: operation.output });
    default:
      return operation.output;
  }
}

/** Refusals are texts of this program or of an upstream, around which each format has its own members. */
export const refusalPlace: Texts = Object.freeze({ kind: 'texts' });

function frame(members: Readonly<Record<string, Place>>): Frame {
  return { kind: 'frame', below: (name) => (Object.hasOwn(members, name) ? members[name] : undefined) };
}

function envelope(operation: Operation, side: 'input' | 'output'): Place {
  const schema = operation[side];
  const wrapper = side === 'input' ? 'request' : 'result';
  const element = elementName(operation, side);
  const message: Frame = {
    kind: 'frame',
    below: (name) => below(schema, name) ?? (name === wrapper ? schema : undefined),
  };
  return frame({ Envelope: frame({ Body: frame({ [element]: message, [operation.name]: message }) }) });
}

function fieldOf({ fields }: ObjectSchema, name: string): Field | undefined {
  if (Object.hasOwn(fields, name)) return fields[name];
  return Object.values<Field>(fields).find(({ json }) => json === name);
}

function lowerFirst(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}
