/** The facts of the public descriptions, by service and version, from `test/facts/public-descriptions.tsv`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface PublicMember {
  readonly name: string;
  readonly required: boolean;
  readonly readOnly: boolean;
  /** The version that added it, where that is stated. */
  readonly since?: number;
  /** `string`, `a|b` for an enumeration, `[T]` for a list, `{T}` for a map, or the name of a type. */
  readonly value: string;
  /** The lengths of a text. */
  readonly length?: { readonly min: number; readonly max: number };
}

export interface PublicOperation {
  /** `POST /disable` */
  readonly name: string;
  /** The type of the body; absent without one. */
  readonly request: string | undefined;
  readonly response: string;
  readonly query: readonly PublicMember[];
}

export interface PublicDescription {
  readonly service: string;
  readonly version: number;
  readonly operations: readonly PublicOperation[];
  readonly types: ReadonlyMap<string, readonly PublicMember[]>;
}

interface Row {
  readonly service: string;
  readonly versions: readonly number[];
  readonly type: string;
  readonly member: PublicMember;
}

const [, ...rows] = readFileSync(join(import.meta.dirname, '../facts/public-descriptions.tsv'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map(parseRow);

/** Of each service the oldest version first. */
export const publicDescriptions: readonly PublicDescription[] = [
  ...new Set(rows.map(({ service }) => service)),
].flatMap((service) => {
  const ofService = rows.filter((row) => row.service === service);
  const versions = [...new Set(ofService.flatMap((row) => row.versions))].sort((a, b) => a - b);
  return versions.map((version) =>
    describe(
      service,
      version,
      ofService.filter((row) => row.versions.includes(version)),
    ),
  );
});

/** The versions of a service that have a public description, the oldest first. */
export function publicVersionsOf(service: string): readonly number[] {
  return publicDescriptions.flatMap((each) => (each.service === service ? [each.version] : []));
}

/** Throws where the version of the service has no public description. */
export function publicDescriptionOf(service: string, version: number): PublicDescription {
  const found = publicDescriptions.find((each) => each.service === service && each.version === version);
  if (found === undefined) throw new TypeError(`${service} v${version} has no public description`);
  return found;
}

function describe(service: string, version: number, ofVersion: readonly Row[]): PublicDescription {
  const types = new Map<string, PublicMember[]>();
  for (const { type, member } of ofVersion) types.set(type, [...(types.get(type) ?? []), member]);
  const operations = (types.get('(operation)') ?? []).map(({ name, value }) => {
    const [request, response = ''] = value.split(' ');
    const query = types.get(`(query of ${name})`) ?? [];
    return { name, request: request === '-' ? undefined : request, response, query };
  });
  return { service, version, operations, types };
}

function parseRow(line: string): Row {
  const [service = '', versions = '', type = '', name = '', flags = '', value = '', length] = line.split('\t');
  const since = /\bv(\d+)/.exec(flags)?.[1];
  const [min, max] = length?.split('..').map(Number) ?? [];
  return {
    service,
    versions: versions.split(',').map(Number),
    type,
    member: {
      name,
      required: flags.includes('*'),
      readOnly: /\br\b/.test(flags),
      ...(since !== undefined && { since: Number(since) }),
      value,
      ...(min !== undefined && max !== undefined && { length: { min, max } }),
    },
  };
}
