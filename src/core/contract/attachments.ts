/** Which messages have bytes, long texts, long lists and objects in themselves: how long, and where SOAP may or must send the bytes. */
import { memoizeWeakly } from '../lib/index.ts';
import { base64Length } from './lexical.ts';
import { attachedFieldsOf, markupLengthMax, type ObjectSchema, type Schema, textLengthMax } from './schema.ts';
import { partsIn } from './walk.ts';

/** The bytes and texts that messages of a schema may have. */
interface ValuesIn {
  /** Beside the envelope of SOAP: nothing, bytes that may stand in it, too, or bytes that never do. */
  readonly mayAttach: 'nothing' | 'bytes' | 'always';
  /** Characters of the longest text, or of the longest bytes in base64, in UTF-16. */
  readonly charactersMax: number;
  /** Characters of the longest text that is no bytes. */
  readonly textMax: number;
  /** The longest bytes. */
  readonly bytesMax: number;
  /** Items of the longest list. */
  readonly itemsMax: number;
  /** Objects hold others of their kind. */
  readonly isRecursive: boolean;
  /** An element has an attribute called `href` of its own. */
  readonly hasHref: boolean;
}

/** What messages of a schema may have beside the envelope of SOAP. */
export function mayAttach(schema: ObjectSchema): ValuesIn['mayAttach'] {
  return attachedFieldsOf(schema).length > 0 ? 'always' : valuesIn(schema).mayAttach;
}

/** Characters of the longest value that messages of the schemas may have: a text, or bytes in base64 with line breaks. */
export function valueLengthMax(schemas: readonly ObjectSchema[]): number {
  return schemas.reduce((max, each) => Math.max(max, valuesIn(each).charactersMax), 0);
}

/** The largest body of a message whose values are short, in bytes. */
export const bodyBytesDefault = 65_536;
/** Shorter values fit a body of the default size. */
const shortLengthMax = 32_768;

/** Bytes of the largest body that messages of the schemas need: the default, and the longest value that one may have. */
export function bodyBytesOf(schemas: readonly ObjectSchema[]): number {
  const longest = valueLengthMax(schemas);
  return longest <= shortLengthMax ? bodyBytesDefault : bodyBytesDefault + longest;
}

/** The longest bytes that messages of the schemas may have, and the characters of their longest text. */
export function longestValues(schemas: readonly ObjectSchema[]): Pick<ValuesIn, 'bytesMax' | 'textMax'> {
  return schemas.map(valuesIn).reduce(most, none);
}

/** Whether messages of the schema may have lists of so many items that they need more members than most messages. */
export function mayHaveLongLists(schema: ObjectSchema): boolean {
  return valuesIn(schema).itemsMax > 1_000;
}

/** Whether `href` is a field of the messages, and no reference of an encoded message. */
export function hasHref(...schemas: readonly ObjectSchema[]): boolean {
  return schemas.some((each) => valuesIn(each).hasHref);
}

/** Brackets in JSON or elements in XML in each other, where objects hold others of their kind. */
const recursiveDepthMax = 100;

/** The limits with the depth that messages of the schemas may have. */
export function withDepth<L extends { readonly depthMax: number }>(limits: L, ...schemas: readonly ObjectSchema[]): L {
  const isDeep = limits.depthMax < recursiveDepthMax && schemas.some((each) => valuesIn(each).isRecursive);
  return isDeep ? { ...limits, depthMax: recursiveDepthMax } : limits;
}

/** Members of a request that may have long lists: elements in SOAP, members and items in JSON, pairs in FORM. */
export const manyMembersMax = 50_000;

const valuesIn = memoizeWeakly((message: ObjectSchema): ValuesIn => {
  const values = partsIn(message).map(({ schema, field }): ValuesIn => {
    const own = scalarValues(schema);
    return field?.xml === 'attribute' ? { ...own, mayAttach: 'nothing' } : own;
  });
  return values.reduce(most, none);
});

function scalarValues(scalar: Schema): ValuesIn {
  switch (scalar.kind) {
    case 'binary':
      return {
        ...none,
        mayAttach: scalar.attached === undefined ? 'bytes' : 'always',
        charactersMax: withLineBreaks(scalar.max),
        bytesMax: scalar.max,
      };
    case 'string': {
      const textMax = scalar.markup === undefined ? (scalar.max ?? textLengthMax) : markupLengthMax;
      // A character outside of the basic plane takes two.
      return { ...none, charactersMax: scalar.markup === undefined ? 2 * textMax : textMax, textMax };
    }
    case 'list':
      return { ...none, itemsMax: scalar.max };
    case 'object':
      return {
        ...none,
        isRecursive: scalar.recursion !== undefined,
        hasHref: scalar.attributes.includes('href'),
      };
    default:
      return none;
  }
}

const none: ValuesIn = Object.freeze<ValuesIn>({
  mayAttach: 'nothing',
  charactersMax: 0,
  textMax: 0,
  bytesMax: 0,
  itemsMax: 0,
  isRecursive: false,
  hasHref: false,
});
const order: readonly ValuesIn['mayAttach'][] = ['nothing', 'bytes', 'always'];

function most(one: ValuesIn, other: ValuesIn): ValuesIn {
  const isMore = order.indexOf(other.mayAttach) > order.indexOf(one.mayAttach);
  return {
    mayAttach: (isMore ? other : one).mayAttach,
    charactersMax: Math.max(one.charactersMax, other.charactersMax),
    textMax: Math.max(one.textMax, other.textMax),
    bytesMax: Math.max(one.bytesMax, other.bytesMax),
    itemsMax: Math.max(one.itemsMax, other.itemsMax),
    isRecursive: one.isRecursive || other.isRecursive,
    hasHref: one.hasHref || other.hasHref,
  };
}

/** MIME encoders break lines after 64 or 76 characters. */
function withLineBreaks(bytes: number): number {
  const characters = base64Length(bytes);
  return characters + 2 * Math.ceil(characters / 64);
}
