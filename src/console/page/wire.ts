/** The types of values as the service of the console sends and accepts them in JSON. */
import type {
  BooleanSchema,
  DateTimeSchema,
  DoubleSchema,
  EnumSchema,
  Fields,
  IntegerSchema,
  ListSchema,
  MapSchema,
  ObjectSchema,
  Operation,
  SetSchema,
} from '../../core/contract/index.ts';

/** A moment is a text: `2026-01-31T12:00:00+00:00`. */
export type Wire<S> = S extends IntegerSchema | DoubleSchema
  ? number
  : S extends BooleanSchema
    ? boolean
    : S extends EnumSchema<infer V>
      ? V
      : S extends DateTimeSchema | SetSchema
        ? string
        : S extends ListSchema<infer I>
          ? readonly Wire<I>[]
          : S extends MapSchema<infer I>
            ? Readonly<Record<string, I extends ObjectSchema ? Wire<I> : string>>
            : S extends ObjectSchema<infer F>
              ? WireFields<F>
              : string;

type WireFields<F extends Fields> = {
  readonly [K in keyof F as F[K]['required'] extends true ? K : never]: Wire<F[K]['schema']>;
} & {
  readonly [K in keyof F as F[K]['required'] extends true ? never : K]?: Wire<F[K]['schema']> | undefined;
};

/** What an operation returns. */
export type Answer<O> = O extends Operation<string, ObjectSchema, infer R> ? Wire<R> : never;
/** What an operation accepts: fields of its path, its query and its body. */
export type Question<O> = O extends Operation<string, infer I, ObjectSchema> ? Wire<I> : never;
