/** Checks answers of the balance platform against the public description of their version. */
import { type PublicMember, type PublicOperation, publicDescriptionOf } from './public-facts.ts';

interface Answer {
  readonly method: string;
  /** Relative to the address of the service. */
  readonly path: string;
  readonly status: number;
  readonly body: unknown;
  /** 2 where it is left out. */
  readonly version?: number | undefined;
}

type Types = ReadonlyMap<string, readonly PublicMember[]>;

/** Throws where an answer has another member, or a member of another type, than the public description of its operation. */
export function requirePublicAnswer({ method, path, status, body, version = 2 }: Answer): void {
  const { operations, types } = publicDescriptionOf('BalancePlatform', version);
  const [address = ''] = path.split('?');
  const type = status === 200 ? responseTo(method, address.replace(/[/]$/, ''), operations) : 'RestServiceError';
  const found = type === undefined ? [] : violations(type, body, types);
  if (found.length > 0) throw new Error(`${method} ${path}: ${status} ${found.join(', ')}`);
}

function responseTo(method: string, address: string, operations: readonly PublicOperation[]): string | undefined {
  // The public description has no cancel.
  if (/^[/]paymentInstruments[/][^/]+[/]cancel$/.test(address)) return 'UpdatePaymentInstrument';
  const called = `${method} ${address}`;
  const pattern = (name: string) => new RegExp(`^${name.replace('{id}', '[^/]+')}$`);
  return operations.find(({ name }) => pattern(name).test(called))?.response;
}

/** What a value has against a type of the public description, by path. */
export function violations(type: string, value: unknown, types: Types, path = ''): readonly string[] {
  const wrong = (isRight: boolean) => (isRight ? [] : [`${path} is not ${type}`]);
  if (type === 'any') return [];
  if (type === 'string' || type === 'time') return wrong(typeof value === 'string');
  if (type === 'boolean') return wrong(typeof value === 'boolean');
  if (type.startsWith('integer ')) return wrong(Number.isSafeInteger(value));
  if (type === 'date-time') return wrong(typeof value === 'string' && !Number.isNaN(Date.parse(value)));
  const item = itemOf(type);
  if (item !== undefined)
    return Array.isArray(value)
      ? value.flatMap((each, at) => violations(item, each, types, `${path}[${at}]`))
      : wrong(false);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return wrong(typeof value === 'string' && type.split('|').includes(value) && !types.has(type));
  const entry = entryOf(type);
  if (entry !== undefined)
    return Object.entries(value).flatMap(([key, each]) => violations(entry, each, types, `${path}.${key}`));
  return membersViolations(type, value, types, path);
}

/** The type of the items, where the type is a list. */
export function itemOf(type: string): string | undefined {
  return /^\[(.+)\]$/.exec(type)?.[1];
}

/** The type of the entries, where the type is a map. */
export function entryOf(type: string): string | undefined {
  return /^\{(.+)\}$/.exec(type)?.[1];
}

function membersViolations(type: string, value: object, types: Types, path: string): readonly string[] {
  const members = types.get(type);
  if (members === undefined) throw new TypeError(`no public type ${type}`);
  const known = new Map(members.map((each) => [each.name, each.value]));
  return [
    ...members
      .filter(({ name, required }) => required && !Object.hasOwn(value, name))
      .map(({ name }) => `${path}.${name} is missing`),
    ...Object.entries(value).flatMap(([name, each]) => {
      const memberType = known.get(name);
      return memberType === undefined
        ? [`${path}.${name} is unknown`]
        : violations(memberType, each, types, `${path}.${name}`);
    }),
  ];
}
