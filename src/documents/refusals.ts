/** The problems that an operation can be refused for, collected from its contract. */
import { isBound, type Operation, splitByLocation } from '../contract/operation.ts';
import { type ProblemName, problems } from '../contract/problem.ts';
import { namesOf } from '../contract/problem-details.ts';
import type { Schema } from '../contract/schema.ts';
import { walk } from '../contract/walk.ts';

/** In the order of the table of problems. */
export function refusalsOf(operation: Operation): readonly ProblemName[] {
  const { effect, input, accounts, problems: own } = operation;
  const found = new Set<ProblemName>([
    ...ofEveryCall,
    ...(effect === 'writes' ? ofRetries : []),
    ...(accounts.length > 0 ? (['foreignMerchantAccount'] as const) : []),
    ...ofFields(input),
    ...own,
    ...(isBound(operation) && needsBody(operation) ? (['emptyRequest'] as const) : []),
  ]);
  return order.filter((name) => found.has(name));
}

/** The HTTP statuses of the refusals, ascending, each with its problems. */
export function byStatus(names: readonly ProblemName[]): ReadonlyMap<number, readonly ProblemName[]> {
  const grouped = Map.groupBy(names, (name) => problems[name].status);
  return new Map([...grouped].sort(([a], [b]) => a - b));
}

/** A problem in one line, with the code that callers of the operation get. */
export function describeProblem(name: ProblemName, operation: Operation): string {
  if (!isBound(operation)) return `${problems[name].code} ${printMessage(name)}`;
  const { code, title } = namesOf(name);
  return `${code} ${title}: ${printMessage(name)}`;
}

/** The message of a problem, its blanks as words in braces. */
export function printMessage(name: ProblemName): string {
  return problems[name].message.replace(/\{(\d)\}/g, (_, at) => `{${blanks[name]?.[Number(at)] ?? 'field'}}`);
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
  'internal',
  'unavailable',
];

/** Of a writing call with an Idempotency-Key. */
const ofRetries: readonly ProblemName[] = ['inProgress', 'keyReused'];

const order = Object.keys(problems) as ProblemName[];

/** The problems that reading the fields of a request can find. */
function ofFields(schema: Schema): ReadonlySet<ProblemName> {
  const found = new Set<ProblemName>(['missingField', 'invalidField', 'tooLong']);
  const nothing = () => undefined;
  walk<void>(schema, {
    scalar: nothing,
    joined: nothing,
    list: nothing,
    map: nothing,
    object({ choices }, members) {
      for (const { problem } of choices) found.add(problem);
      for (const { field } of members) {
        if (field.missing) found.add(field.missing);
        if (field.invalid) found.add(field.invalid);
      }
    },
  });
  return found;
}

function needsBody({ input }: Operation): boolean {
  return Object.values(splitByLocation(input).body.fields).some(({ required }) => required);
}

const blanks: Partial<Record<ProblemName, readonly string[]>> = {
  structure: ['what is wrong'],
  unknownField: ['type', 'names'],
  unknownVersion: ['versions'],
  unknownOperation: ['operations'],
  tooLarge: ['n'],
  tooLong: ['field', 'n'],
  illegalMove: ['status', 'status'],
  invalidExpiryMonth: ['field', 'n', 'what was given'],
};
