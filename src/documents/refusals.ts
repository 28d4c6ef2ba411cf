/** The problems that an operation can be refused for, collected from its contract. */
import {
  conventionsOf,
  isBound,
  kindOf,
  namesOf,
  type Operation,
  type ProblemKind,
  type ProblemName,
  type ProblemRef,
  partsIn,
  problemsOf,
  type Schema,
  type Service,
  splitByLocation,
} from '../core/contract/index.ts';

/** In the order of the problems of the service. */
export function refusalsOf(service: Service, operation: Operation): readonly ProblemKind[] {
  const { effect, input, grants, problems: own } = operation;
  const found = new Set(
    [
      ...ofEveryCall,
      ...(effect === 'writes' ? ofRetries : []),
      ...grants.map(({ grant }) => grant.refusal),
      ...ofFields(input),
      ...own,
      ...(isBound(operation) && needsBody(operation) ? (['emptyRequest'] as const) : []),
    ].map(kindOf),
  );
  return [...problemsOf(service).values()].filter((kind) => found.has(kind));
}

/** The HTTP statuses of the refusals, ascending, each with its problems. */
export function byStatus(kinds: readonly ProblemKind[]): ReadonlyMap<number, readonly ProblemKind[]> {
  const grouped = Map.groupBy(kinds, ({ status }) => status);
  return new Map([...grouped].sort(([a], [b]) => a - b));
}

/** A problem in one line, with the code that callers get. `isAtPath`: a method and a path name the operation. */
export function describeProblem(kind: ProblemKind, isAtPath: boolean, service: Service): string {
  if (!isAtPath) return `${kind.code} ${printMessage(kind)}`;
  const { code, title } = namesOf(kind, conventionsOf([service]));
  return `${code} ${title}: ${printMessage(kind)}`;
}

/** The message of a problem, its blanks as words in braces. */
export function printMessage({ message, blanks = [] }: ProblemKind): string {
  return message.replace(/\{(\d)\}/g, (_, at) => `{${blanks[Number(at)] ?? 'field'}}`);
}

const ofEveryCall: readonly ProblemName[] = [
  'badRequest',
  'undecodable',
  'structure',
  'unknownField',
  'unauthorized',
  'notAllowed',
  'timeout',
  'tooLarge',
  'unsupportedMedia',
  'tooManyRequests',
  'internal',
  'unavailable',
];

/** Problems of a writing call with an Idempotency-Key. */
const ofRetries: readonly ProblemName[] = ['invalidKey', 'inProgress', 'keyReused'];

/** The problems that reading the fields of a request can find. */
function ofFields(input: Schema): ReadonlySet<ProblemRef> {
  const found = new Set<ProblemRef>(['missingField', 'invalidField', 'tooLong']);
  for (const { schema, field } of partsIn(input)) {
    if (schema.kind === 'object') for (const { problem } of schema.choices) found.add(problem);
    if (field?.missing) found.add(field.missing);
    if (field?.invalid) found.add(field.invalid);
  }
  return found;
}

function needsBody({ input }: Operation): boolean {
  return Object.values(splitByLocation(input).body.fields).some(({ required }) => required);
}
