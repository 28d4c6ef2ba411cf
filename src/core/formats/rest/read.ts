/** Adds to each issue of a request the value that the caller sent. */

import {
  type Issue,
  isSecret,
  keyOf,
  locationOf,
  mayHoldNumber,
  type ObjectSchema,
  type Path,
  problems,
  type Schema,
} from '../../contract/index.ts';
import { valueAt } from '../../lib/index.ts';
import type { Parts } from '../codec.ts';
import { jsonPath } from '../json/names.ts';

/** Adds the value to an issue, unless it is sensitive or too long to be repeated. */
export function withValue(schema: ObjectSchema, parts: Parts<unknown>, issue: Issue): Issue {
  if (issue.kind === problems.unknownField) return issue;
  const [name] = issue.path;
  const field = typeof name === 'string' ? schema.fields[name] : undefined;
  const found = schemaAt(schema, issue.path);
  if (field === undefined || found === undefined || isSecret(found)) return issue;
  const location = locationOf(field);
  const path = location === 'body' ? jsonPath(issue.path, schema) : issue.path;
  const node = valueAt(parts[location], path.map(keyOf));
  const text = typeof node === 'string' || typeof node === 'number' || typeof node === 'boolean' ? String(node) : '';
  return quotable(text) ? { ...issue, value: text } : issue;
}

/** The schema at a path; undefined if the path leaves the schema. */
function schemaAt(schema: Schema, [step, ...rest]: Path): Schema | undefined {
  if (step === undefined) return schema;
  switch (schema.kind) {
    case 'object': {
      const field = typeof step === 'string' ? schema.fields[step] : undefined;
      return field && schemaAt(field.schema, rest);
    }
    case 'map':
      return schema.item && schemaAt(schema.item, rest);
    case 'list':
      return schemaAt(schema.item, rest);
    default:
      return undefined;
  }
}

/** Short enough to be repeated, and without digits that could be a card number. */
function quotable(text: string): boolean {
  return text.length <= 64 && !mayHoldNumber(text);
}
