/** Older versions of a service: how a request is upgraded to the current version and a response downgraded. */
import type { Input, Operation, Output } from '../contract/operation.ts';
import type { ObjectSchema } from '../contract/schema.ts';
import type { Service } from '../contract/service.ts';

/** Canonical values in, canonical values out. Absent where the shapes are the same. */
export interface VersionAdapter {
  upgrade?(input: unknown): unknown;
  downgrade?(output: unknown): unknown;
}

/** `C`: the operations of the current version. */
export interface OlderVersion<C extends Operation = Operation> {
  readonly service: Service;
  /** By the older operation; `to` is the current one. */
  readonly adapters: ReadonlyMap<Operation, VersionAdapter & { readonly to: Operation }>;
  /** Only in types: an older version belongs to the service that it was adapted to. */
  readonly current?: C;
}

// Assignable in both directions is not enough: a renamed optional field would pass.
type Equal<A, B> = (<T>() => T extends Flat<A> ? 1 : 2) extends <T>() => T extends Flat<B> ? 1 : 2 ? true : false;
type Flat<T> = { [K in keyof T]: T[K] };

type Named<O extends Operation, N> = Extract<O, { readonly name: N }>;

type Upgrade<O extends Operation, C extends Operation> = { readonly upgrade: (input: Input<O>) => Input<C> };
type Downgrade<O extends Operation, C extends Operation> = { readonly downgrade: (output: Output<C>) => Output<O> };

type NothingStated = Readonly<Record<never, never>>;

/** What an older operation has to state: each direction whose shapes differ. */
type AdapterOf<O extends Operation, C extends Operation> = [C] extends [never]
  ? never
  : O['effect'] extends C['effect']
    ? (Equal<Input<O>, Input<C>> extends true ? Partial<Upgrade<O, C>> : Upgrade<O, C>) &
        (Equal<Output<O>, Output<C>> extends true ? Partial<Downgrade<O, C>> : Downgrade<O, C>)
    : never;

/** Adapters by name; those that need not state anything may be left out. */
export type AdaptersOf<O extends Operation, C extends Operation> = {
  readonly [N in O['name'] as NothingStated extends AdapterOf<Named<O, N>, Named<C, N>> ? never : N]: AdapterOf<
    Named<O, N>,
    Named<C, N>
  >;
} & {
  readonly [N in O['name'] as NothingStated extends AdapterOf<Named<O, N>, Named<C, N>> ? N : never]?: AdapterOf<
    Named<O, N>,
    Named<C, N>
  >;
};

/** Throws where shapes of equal types have different rules and the adapter states nothing: types show no lengths. */
export function olderVersion<O extends Operation, C extends Operation>(
  older: Service<O>,
  current: Service<C>,
  adapters: AdaptersOf<O, C>,
): OlderVersion<C> {
  const stated: Readonly<Partial<Record<string, VersionAdapter>>> = adapters;
  const entries = [...older.operations.values()].map((operation) => {
    const { name } = operation;
    const to = current.operations.get(name);
    if (to === undefined) throw new TypeError(`${current.name} v${current.version} has no ${name}`);
    const adapter = stated[name] ?? {};
    if (adapter.upgrade === undefined) checkSameRules(name, operation.input, to.input);
    if (adapter.downgrade === undefined) checkSameRules(name, operation.output, to.output);
    return [operation, { ...adapter, to }] as const;
  });
  return Object.freeze({ service: older, adapters: new Map(entries) });
}

function checkSameRules(name: string, older: ObjectSchema, current: ObjectSchema): void {
  if (rulesOf(older) !== rulesOf(current))
    throw new TypeError(`${name}: the rules of ${older.name} differ between versions, and no adapter is stated`);
}

function rulesOf(schema: ObjectSchema): string {
  return JSON.stringify(schema, (key, value) => (key === 'doc' || key === 'example' ? undefined : value));
}
