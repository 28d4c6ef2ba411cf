/** What the public descriptions of the Recurring service state: operations, members and types of values, by version. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The type of a value, or that and the version that has the member first. */
type Fact = string | readonly [type: string, since: number];

interface Facts {
  readonly versions: readonly number[];
  /** The names of the types of request and response. */
  readonly operations: Readonly<Record<string, readonly [string, string]>>;
  /** Operations that this server does not have, by the version that has them first. */
  readonly notServed: Readonly<Record<string, number>>;
  readonly types: Readonly<Record<string, Readonly<Record<string, Fact>>>>;
}

export const facts = JSON.parse(readFileSync(join(import.meta.dirname, 'public-members.json'), 'utf8')) as Facts;

/** The types of the members of a type, by name, in a version. */
export function membersOf(type: string, version: number): ReadonlyMap<string, string> {
  const members = Object.entries(facts.types[type] ?? {}).map(([name, fact]): [string, string, number] =>
    typeof fact === 'string' ? [name, fact, 0] : [name, ...fact],
  );
  return new Map(members.filter(([, , since]) => since <= version).map(([name, fact]) => [name, fact]));
}

/** A value with every member of a type, as JSON has it. */
export function sampleOf(type: string, version: number): unknown {
  switch (type) {
    case 'string':
      return '1';
    case 'integer':
      return 1;
    case 'date-time':
      return '2030-12-31T00:00:00Z';
    case 'map':
      return { key: '1' };
    default: {
      const members = [...membersOf(type, version)];
      if (members.length === 0) throw new TypeError(`${type} has no members`);
      return Object.fromEntries(members.map(([name, each]) => [name, sampleOf(each, version)]));
    }
  }
}
