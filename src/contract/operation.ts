/** Operations and services: what can be asked, what is answered, and who may ask. */
import type { ProblemName } from './problem.ts';
import type { Infer, Namespace, ObjectSchema } from './schema.ts';

export const roles = Object.freeze(['recurring', 'balancePlatform'] as const);
export type Role = (typeof roles)[number];
export type Effect = 'reads' | 'writes';

export interface Operation<
  N extends string = string,
  I extends ObjectSchema = ObjectSchema,
  O extends ObjectSchema = ObjectSchema,
  E extends Effect = Effect,
> {
  readonly name: N;
  readonly doc: string;
  readonly effect: E;
  readonly role: Role;
  readonly input: I;
  readonly output: O;
  /** What the domain may refuse it for, beyond what every operation may be refused for. */
  readonly problems: readonly ProblemName[];
  /** Fields of the input that name a merchant account the caller must hold. */
  readonly accounts: readonly string[];
}

export type Input<O> = O extends Operation<string, infer I, ObjectSchema> ? Infer<I> : never;
export type Output<O> = O extends Operation<string, ObjectSchema, infer R> ? Infer<R> : never;

export const operation = <
  const N extends string,
  I extends ObjectSchema,
  O extends ObjectSchema,
  const E extends Effect,
>(
  parts: Omit<Operation<N, I, O, E>, 'accounts'>,
): Operation<N, I, O, E> =>
  Object.freeze({
    ...parts,
    accounts: Object.entries(parts.input.fields)
      .filter(([, field]) => field.schema.kind === 'string' && field.schema.authorizes === 'merchantAccount')
      .map(([name]) => name),
  });

/** One version of one service, whether its operations are called by name or stand on resources (`resource.ts`). */
export interface AnyService {
  /** `Recurring`, as in the paths and in the WSDL. */
  readonly name: string;
  readonly version: number;
  readonly doc: string;
  readonly operations: ReadonlyMap<string, Operation>;
}

/** One version of a service whose operations are called by name. */
export interface Service extends AnyService {
  /** Where its own elements, lists and maps live: the target namespace of its WSDL. */
  readonly namespace: Namespace;
  /** A higher version number up to this one is answered by this contract while no newer contract stands. */
  readonly servesUpTo: number;
}

export const service = (parts: Omit<Service, 'operations'> & { readonly operations: readonly Operation[] }): Service =>
  Object.freeze({ ...parts, operations: new Map(parts.operations.map((each) => [each.name, each])) });

/**
 * The newest contract of a service that is not newer than the version asked for (specification, section 9, leaves this
 * open), or the newest of all. `services`: newest last.
 */
export const contractOf = (services: readonly Service[], name: string, asked?: number): Service | undefined =>
  services.findLast(
    (each) => each.name === name && (asked === undefined || (each.version <= asked && asked <= each.servesUpTo)),
  );
