/** Derives JSON Schema of FORM pairs: dotted names, and patterns of names for an index of a list or a key of a map. */
import { formStep } from '../../src/core/contract/path.ts';
import { type Field, type ObjectSchema, textLengthMax, typeNameOf } from '../../src/core/contract/schema.ts';
import { walk } from '../../src/core/contract/walk.ts';
import {
  fieldSchema,
  type JsonSchema,
  joinedSchema,
  type Side,
  scalarSchema,
} from '../../src/documents/json-schema.ts';

interface Pair {
  /** The steps of the name; an `open` one is a pattern. */
  readonly steps: readonly Step[];
  readonly schema: JsonSchema;
  /** Whether every step of the name is required. */
  readonly required: boolean;
}

type Step = { readonly name: string } | { readonly open: string };

const index: Step = { open: '(0|[1-9][0-9]*)' };
const anyKey: Step = { open: '.+' };

/** The schema has no rules between fields; the description of the operation has them. */
export function deriveFormSchema(schema: ObjectSchema, side: Side): JsonSchema {
  const pairs = pairsOf(schema);
  const patterns = [
    ...pairs.filter((pair) => !isPlain(pair)).map((pair) => [patternOf(pair), pair.schema] as const),
    ...(side === 'input' ? ignoredPatterns(schema) : []),
  ];
  const required = pairs.filter((pair) => isPlain(pair) && pair.required).map((pair) => keyOf(pair));
  return {
    type: 'object',
    properties: Object.fromEntries(pairs.filter(isPlain).map((pair) => [keyOf(pair), pair.schema])),
    ...(patterns.length > 0 && { patternProperties: Object.fromEntries(patterns) }),
    ...(required.length > 0 && { required }),
    ...(side === 'input' && { additionalProperties: false }),
  };
}
function scalarPair(schema: JsonSchema): readonly Pair[] {
  return [{ steps: [], schema, required: true }];
}

function under(step: Step, pair: Pair, required: boolean): Pair {
  return {
    ...pair,
    steps: [step, ...pair.steps],
    required: required && pair.required,
  };
}

function described(field: Field, pair: Pair): Pair {
  return pair.steps.length === 0 ? { ...pair, schema: fieldSchema(field, pair.schema) } : pair;
}

function pairsOf(schema: ObjectSchema): readonly Pair[] {
  return walk<readonly Pair[]>(schema, {
    scalar: (scalar) => scalarPair(scalarSchema(scalar)),
    joined: (set) => scalarPair(joinedSchema(set)),
    list: (_, item) => item.map((pair) => under(index, pair, false)),
    map: () => [
      under(anyKey, { steps: [], schema: { type: 'string', maxLength: textLengthMax }, required: false }, false),
    ],
    variants(schema, own, others) {
      const { typeField = '', variants = [], isAbstract } = schema;
      const types = [...(isAbstract ? [] : [schema]), ...variants].map(typeNameOf);
      // A name that several types have is described as the first one has it, but for the name of the type.
      const pairs = new Map(
        [...own, ...others.flat()].toReversed().map((pair) => [patternOf(pair), { ...pair, required: false }]),
      );
      const pattern = patternOf({ steps: [{ name: formStep(typeField) }] });
      const named = pairs.get(pattern);
      if (named !== undefined) pairs.set(pattern, { ...named, schema: { ...named.schema, enum: types } });
      return [...pairs.values()].toReversed();
    },
    object: (_, members) =>
      members.flatMap(({ name, field, part }) =>
        part.map((pair) => under({ name: formStep(name) }, described(field, pair), field.required)),
      ),
    // The names of its pairs again, at any depth.
    self: () => [{ steps: [anyKey], schema: { type: 'string' }, required: false }],
  });
}

function isPlain({ steps }: Pair): boolean {
  return steps.every((step) => 'name' in step);
}

function keyOf({ steps }: Pick<Pair, 'steps'>, dot = '.'): string {
  return steps.map((step) => ('name' in step ? step.name : step.open)).join(dot);
}

function patternOf(pair: Pick<Pair, 'steps'>): string {
  return `^${keyOf(pair, '[.]')}$`;
}

/** Names that are ignored, with all names below them. */
function ignoredPatterns(
  schema: ObjectSchema,
  prefix = '^',
  around: readonly ObjectSchema[] = [],
): readonly (readonly [string, JsonSchema])[] {
  // Its names are there again at any depth.
  if (around.includes(schema)) return [];
  return [
    ...Object.entries(schema.ignoredMembers).map(
      ([name, origin]) => [`${prefix}${name}([.].*)?$`, { description: `Ignored; of ${origin}.` }] as const,
    ),
    ...Object.entries(schema.fields).flatMap(([name, field]) =>
      field.schema.kind === 'object' ? ignoredPatterns(field.schema, `${prefix}${name}[.]`, [...around, schema]) : [],
    ),
  ];
}
