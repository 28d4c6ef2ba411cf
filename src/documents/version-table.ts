/** The table of versions in the reference: what each version has that the one before lacks, and the reverse. */
import { type Schema, type Service, walk } from '../core/contract/index.ts';
import { code, table } from './markdown.ts';

/** `versions`: of one service, oldest first. Empty if there is one version. */
export function versionTable(versions: readonly Service[]): readonly string[] {
  if (versions.length < 2) return [];
  const rows = versions.map((each, at) => [answeredBy(each), versions[at - 1], each] as const);
  return [
    table(
      ['Versions', 'Difference from the version before'],
      rows.map(([range, before, each]) => [
        range,
        before === undefined ? 'The oldest contract.' : changes(before, each),
      ]),
    ),
    'A request to a version has the members of that version, and so has its response. A key holds in all versions: a retry ' +
      'through another version has no second effect.',
  ];
}

function answeredBy({ answers: { from, to } }: Service): string {
  return from === to ? code(`v${from}`) : `${code(`v${from}`)} to ${code(`v${to}`)}`;
}

/** An operation that one of the two lacks is named, and not its members. */
function changes(before: Service, after: Service): string {
  const [old, own] = [membersOf(before, after), membersOf(after, before)];
  const isIn = (members: readonly Member[], { message, path }: Member) =>
    members.some((each) => each.message === message && each.path === path);
  const added = own.filter((each) => !isIn(old, each));
  const removed = old.filter((each) => !isIn(own, each));
  return [...sentences(added), ...sentences(removed, 'Without ')].join(' ');
}

/** One for each message. */
function sentences(members: readonly Member[], before = ''): readonly string[] {
  const messages = Map.groupBy(members, ({ message }) => message);
  return [...messages].map(([message, own]) => `${before}${message}: ${own.map(({ path }) => code(path)).join(', ')}.`);
}

/** `recurring.recurringExpiry` of `Request of storeToken`, or `disable` of `Operations`. */
interface Member {
  readonly message: string;
  readonly path: string;
}

function membersOf({ operations, errorMap }: Service, other: Service): readonly Member[] {
  return [
    ...(errorMap === undefined ? [] : [{ message: 'Errors', path: errorMap }]),
    ...[...operations.values()].flatMap(({ name, input, output }) =>
      other.operations.has(name)
        ? [...membersIn(`Request of ${name}`, input), ...membersIn(`Response of ${name}`, output)]
        : [{ message: 'Operations', path: name }],
    ),
  ];
}

function membersIn(message: string, schema: Schema): readonly Member[] {
  return pathsOf(schema).flatMap((path) => (path === '' ? [] : [{ message, path }]));
}

/** The paths of a schema's parts; empty for the schema itself. */
function pathsOf(schema: Schema): readonly string[] {
  return walk<readonly string[]>(schema, {
    scalar: () => [''],
    joined: () => [''],
    list: (_, item) => item,
    map: (_, item) => item ?? [''],
    variants: (_, own, others) => [...new Set([...own, ...others.flat()])],
    self: () => [''],
    object: (_, members) => [
      '',
      ...members.flatMap(({ name, part }) => part.map((path) => (path === '' ? name : `${name}.${path}`))),
    ],
  });
}
