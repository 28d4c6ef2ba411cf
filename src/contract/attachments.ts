/** Which messages have bytes: how many, and where SOAP may or must send these. */
import { base64Length } from './lexical.ts';
import { attachedFieldsOf, type ObjectSchema } from './schema.ts';
import { walk } from './walk.ts';

/** The bytes that messages of a schema may have. */
interface BytesIn {
  /** Beside the envelope of SOAP: nothing, bytes that may stand in it, too, or bytes that never do. */
  readonly mayAttach: 'nothing' | 'bytes' | 'always';
  /** Characters of the longest one in base64. */
  readonly charactersMax: number;
}

const known = new WeakMap<ObjectSchema, BytesIn>();

/** What messages of a schema may have beside the envelope of SOAP. */
export function mayAttach(schema: ObjectSchema): BytesIn['mayAttach'] {
  return attachedFieldsOf(schema).length > 0 ? 'always' : bytesIn(schema).mayAttach;
}

/** Characters of the longest bytes in base64 that messages of the schemas may have, with line breaks; 0 where they have none. */
export function base64Max(schemas: readonly ObjectSchema[]): number {
  return schemas.reduce((max, each) => Math.max(max, bytesIn(each).charactersMax), 0);
}

function bytesIn(schema: ObjectSchema): BytesIn {
  let found = known.get(schema);
  if (found === undefined) {
    found = walk<BytesIn>(schema, {
      scalar: (scalar) =>
        scalar.kind === 'binary'
          ? { mayAttach: scalar.attached === undefined ? 'bytes' : 'always', charactersMax: withLineBreaks(scalar.max) }
          : none,
      joined: () => none,
      list: (_, item) => item,
      map: (_, item) => item ?? none,
      variants: (_, own, others) => others.reduce(most, own),
      object: (_, members) =>
        members.reduce<BytesIn>(
          (all, { part, field }) => most(all, field.xml === 'attribute' ? { ...part, mayAttach: 'nothing' } : part),
          none,
        ),
    });
    known.set(schema, found);
  }
  return found;
}

const none: BytesIn = Object.freeze<BytesIn>({ mayAttach: 'nothing', charactersMax: 0 });
const order: readonly BytesIn['mayAttach'][] = ['nothing', 'bytes', 'always'];

function most(one: BytesIn, other: BytesIn): BytesIn {
  const isMore = order.indexOf(other.mayAttach) > order.indexOf(one.mayAttach);
  return {
    mayAttach: (isMore ? other : one).mayAttach,
    charactersMax: Math.max(one.charactersMax, other.charactersMax),
  };
}

/** MIME encoders break lines after 64 or 76 characters. */
function withLineBreaks(bytes: number): number {
  const characters = base64Length(bytes);
  return characters + 2 * Math.ceil(characters / 64);
}
