/** Checks answers of the balance platform against the schemas of its public description. */
import { publicAnswers, publicSchemas } from './public-schemas.ts';

interface Answer {
  readonly method: string;
  /** Relative to the address of the service. */
  readonly path: string;
  readonly status: number;
  readonly body: unknown;
}

/** Throws where an answer has another member, or a member of another type, than the public description. */
export function requirePublicAnswer({ method, path, status, body }: Answer): void {
  const [address = ''] = path.split('?');
  const schema =
    status === 200
      ? publicAnswers.find(([pattern]) => pattern.test(address.replace(/[/]$/, '')))?.[1]
      : 'RestServiceError';
  const found = schema === undefined ? ['no schema'] : violations(schema, body);
  if (found.length > 0) throw new Error(`${method} ${path}: ${status} ${found.join(', ')}`);
}

/** What a value has against a type of the table, by path. */
export function violations(type: string, value: unknown, path = ''): readonly string[] {
  const wrong = (isRight: boolean) => (isRight ? [] : [`${path} is not ${type}`]);
  if (type === 'any') return [];
  if (type === 'string') return wrong(typeof value === 'string');
  if (type === 'boolean') return wrong(typeof value === 'boolean');
  if (type === 'integer') return wrong(Number.isSafeInteger(value));
  if (type === 'date-time') return wrong(typeof value === 'string' && !Number.isNaN(Date.parse(value)));
  const [, item] = /^\[(.+)\]$/.exec(type) ?? [];
  if (item !== undefined)
    return Array.isArray(value) ? value.flatMap((each, at) => violations(item, each, `${path}[${at}]`)) : wrong(false);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return wrong(typeof value === 'string' && type.split('|').includes(value) && !publicSchemas.has(type));
  const [, entry] = /^\{(.+)\}$/.exec(type) ?? [];
  if (entry !== undefined)
    return Object.entries(value).flatMap(([key, each]) => violations(entry, each, `${path}.${key}`));
  return membersViolations(type, value, path);
}

function membersViolations(type: string, value: object, path: string): readonly string[] {
  const members = publicSchemas.get(type);
  if (members === undefined) throw new TypeError(`no public schema ${type}`);
  const known = new Map(members.map((each) => [each.name, each.type]));
  return [
    ...members
      .filter(({ name, required }) => required && !Object.hasOwn(value, name))
      .map(({ name }) => `${path}.${name} is missing`),
    ...Object.entries(value).flatMap(([name, each]) => {
      const memberType = known.get(name);
      return memberType === undefined
        ? [`${path}.${name} is unknown`]
        : violations(memberType, each, `${path}.${name}`);
    }),
  ];
}
