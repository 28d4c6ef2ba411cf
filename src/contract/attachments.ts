/** Which messages have bytes, and where SOAP may or must send these. */
import { attachedFieldsOf, type ObjectSchema } from './schema.ts';
import { walk } from './walk.ts';

/** What a message may have beside its envelope: nothing, bytes that may stand in it, too, or bytes that never do. */
export type MayAttach = 'nothing' | 'bytes' | 'always';

const known = new WeakMap<ObjectSchema, MayAttach>();

/** What messages of a schema may have beside the envelope of SOAP. */
export function mayAttach(schema: ObjectSchema): MayAttach {
  let found = known.get(schema);
  if (found === undefined) {
    found = attachedFieldsOf(schema).length > 0 ? 'always' : attachesIn(schema);
    known.set(schema, found);
  }
  return found;
}

function attachesIn(schema: ObjectSchema): MayAttach {
  const most = (all: readonly MayAttach[]): MayAttach =>
    all.find((each) => each === 'always') ?? all.find((each) => each === 'bytes') ?? 'nothing';
  return walk<MayAttach>(schema, {
    scalar: (scalar) => (scalar.kind !== 'binary' ? 'nothing' : scalar.attached === undefined ? 'bytes' : 'always'),
    joined: () => 'nothing',
    list: (_, item) => item,
    map: (_, item) => item ?? 'nothing',
    variants: (_, own, others) => most([own, ...others]),
    object: (_, members) => most(members.filter(({ field }) => field.xml !== 'attribute').map(({ part }) => part)),
  });
}
