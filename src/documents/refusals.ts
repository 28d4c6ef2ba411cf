/** Refusals: every problem that an operation can be refused for, gathered from its contract. */
import { type BoundOperation, type Operation, splitByLocation } from '../contract/operation.ts';
import { type ProblemName, problems } from '../contract/problem.ts';
import type { Schema } from '../contract/schema.ts';
import { walk } from '../contract/walk.ts';

/** What any call can meet, whatever it asks for. */
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

/** What a writing call with a key can meet. */
const ofRetries: readonly ProblemName[] = ['inProgress', 'keyReused'];

const order = Object.keys(problems) as ProblemName[];

/** What reading the fields of a request can find wrong. */
const ofFields = (shape: Schema): ReadonlySet<ProblemName> => {
  const found = new Set<ProblemName>(['missingField', 'invalidField', 'tooLong']);
  const nothing = () => undefined;
  walk<void>(shape, {
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
};

/** In the order of the table of problems. */
export const refusalsOf = ({ effect, input, accounts, problems: own }: Operation): readonly ProblemName[] => {
  const ofAccounts: readonly ProblemName[] = accounts.length > 0 ? ['foreignMerchantAccount'] : [];
  const found = new Set([
    ...ofEveryCall,
    ...(effect === 'writes' ? ofRetries : []),
    ...ofAccounts,
    ...ofFields(input),
    ...own,
  ]);
  return order.filter((name) => found.has(name));
};

/** Those of an operation on resources, which a head alone may ask for. */
export const refusalsOfEndpoint = (endpoint: BoundOperation): readonly ProblemName[] => {
  const needed = Object.values(splitByLocation(endpoint.input).body.fields).some(({ required }) => required);
  const also = new Set<ProblemName>(needed ? ['emptyRequest'] : []);
  const found = refusalsOf(endpoint);
  return order.filter((name) => also.has(name) || found.includes(name));
};

/** The HTTP statuses of the refusals, ascending, each with its problems. */
export const byStatus = (names: readonly ProblemName[]): ReadonlyMap<number, readonly ProblemName[]> => {
  const grouped = Map.groupBy(names, (name) => problems[name].status);
  return new Map([...grouped].sort(([a], [b]) => a - b));
};

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

/** The message of a problem, its blanks shown as words in braces. */
export const printMessage = (name: ProblemName): string =>
  problems[name].message.replace(/\{(\d)\}/g, (_, at) => `{${blanks[name]?.[Number(at)] ?? 'field'}}`);
