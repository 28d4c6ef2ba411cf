/** How the actions of operators are declared: what each may be asked by, and what its entry in the audit log says. */
import {
  type Caller,
  dateTime,
  defineProblems,
  type Fields,
  integer,
  kind,
  list,
  type Method,
  type ObjectSchema,
  type Operation,
  object,
  operation,
  optional,
  type ProblemRef,
  required,
  type Schema,
  string,
} from '../core/contract/index.ts';

/** The roles of people at the console, as credentials have them. The user of the operating system who runs a command may do everything. */
export const roles = Object.freeze({
  read: 'console',
  act: 'console-admin',
  readTenant: 'console-tenant',
  actTenant: 'console-tenant-admin',
});
export const operatorRoles: readonly string[] = Object.freeze(Object.values(roles));

/** The tenant that a person is bound to; undefined for one who operates the gateway. A role of a tenant binds, whatever others there are. */
export function boundTenantOf({ roles: held, tenant }: Caller): string | undefined {
  return held.has(roles.readTenant) || held.has(roles.actTenant) ? tenant : undefined;
}

/** What any action may be refused for, with a text of its own. */
export const operatorProblems = defineProblems({
  refusedAction: kind(422, '1001', 'validation', 'The action is refused: {0}', { blanks: ['why'] }),
});

/** Schemas of many operations. */
export const text = (max: number, example: string) => string({ max, example });
export const name = text(200, 'Demo');
/** A text of another program, such as the reason of a failure. */
export const longText = text(4_000, 'HTTP 500');
export const moment = dateTime(1_774_000_000_000);
export const count = integer(0, Number.MAX_SAFE_INTEGER, 3);
export const milliseconds = integer(0, Number.MAX_SAFE_INTEGER, 1_200);
/** Places of a field. */
export const inPath = { in: 'path' } as const;
export const inQuery = { in: 'query' } as const;

/** A list of objects, by default of at most 1,000. */
export function rows<const F extends Fields>(name: string, fields: F, doc: string, max = 1_000) {
  return required(list(object(name, fields), name, { max }), doc);
}

/** A list of values, by default of at most 1,000. */
export function values<S extends Schema>(item: S, name: string, doc: string, max = 1_000) {
  return required(list(item, name, { max }), doc);
}

const again = (max: number) => string({ max, sensitive: true, neverStored: true, example: 'Xk2p9mQ4' });

/** Fields of an operation that issues a secret or gives rights. A session requires one of them: it may have been stolen. */
export const ownProof = {
  ownSecret: optional(again(4_000), 'Your own secret, once more. Without a second factor it is required in a session.'),
  ownCode: optional(again(40), 'A new code of your own second factor. With one it is required in a session.'),
};

/** What a person has given once more. */
export interface OwnProof {
  readonly ownSecret?: string | undefined;
  readonly ownCode?: string | undefined;
}

/** `POST /state/deadLetters/retry`: the path is below the address of the console. */
type Binding = `${Method} /${string}`;

/** Declares an operation that reads, for the role `console`. */
export function reads<const N extends string, const F extends Fields, O extends ObjectSchema>(
  name: N,
  binding: Binding,
  doc: string,
  fields: F,
  output: O,
  problems: readonly ProblemRef[] = [],
): Operation<N, ObjectSchema<F>, O, 'reads'> {
  const { input, http } = partsOf(name, binding, fields);
  return operation({ name, http, doc, effect: 'reads', role: roles.read, problems, input, output });
}

/** An operation that changes something. */
export interface Action<N extends string, I extends ObjectSchema, O extends ObjectSchema>
  extends Operation<N, I, O, 'writes'> {
  /** The fields of the input that the audit log records. Never a secret, or text of callers. */
  readonly audited: readonly string[];
}

/** Declares an operation that changes something, for the role `console-admin`. */
export function acts<const N extends string, const F extends Fields, O extends ObjectSchema>(
  name: N,
  binding: Binding,
  doc: string,
  fields: F,
  output: O,
  {
    audited,
    problems = [],
  }: { readonly audited: readonly (keyof F & string)[]; readonly problems?: readonly ProblemRef[] },
): Action<N, ObjectSchema<F>, O> {
  const { input, http } = partsOf(name, binding, fields);
  const declared = operation({ name, http, doc, effect: 'writes', role: roles.act, problems, input, output });
  return Object.freeze({ ...declared, audited });
}

/** The fields of an operation that the audit log records. */
export function auditedFieldsOf(each: Operation): readonly string[] {
  return 'audited' in each ? (each as Action<string, ObjectSchema, ObjectSchema>).audited : [];
}

function partsOf<const F extends Fields>(name: string, binding: Binding, fields: F) {
  const [method, path] = binding.split(' ') as [Method, string];
  return { input: object(`${name[0]!.toUpperCase()}${name.slice(1)}`, fields), http: { method, path } };
}
