/** Fields in the query of a request to the form adapter, where proxies and servers log them. */

import { label } from '../../contract/member-names.ts';
import type { Path } from '../../contract/path.ts';
import { type Issue, issue } from '../../contract/problem.ts';
import type { ObjectSchema, Schema } from '../../contract/schema.ts';
import { namedOperations, type Service } from '../../contract/service.ts';
import { malformedBody } from '../malformed-body.ts';
import { pathTo } from '../refusal.ts';
import { prefixOf } from './adapter-names.ts';
import { type Pair, parsePairs } from './pairs.ts';
import { limits } from './parse.ts';

/** The pairs that name an operation, its fields or the key. Other names mean nothing here, credentials among them, and are ignored. */
export function fieldsInQuery(query: string, service: Service, formField: string): readonly Pair[] {
  const parsed = parsePairs(query, limits.pairsMax);
  if ('fault' in parsed) throw malformedBody(parsed.fault, parsed.where && `${parsed.where} of the query`);
  const names = new Set(['action', formField, ...namedOperations(service).map(({ input }) => prefixOf(input))]);
  return parsed.pairs.filter(([name]) => names.has(name.split('.', 1)[0]!));
}

/** An issue for each pair that may hold a secret: a sensitive field, or an entry of a map, which may be anything. */
export function secretsIn(pairs: readonly Pair[], prefix: string, input: ObjectSchema): readonly Issue[] {
  return pairs.flatMap(([name]) => {
    const [first, ...steps] = name.split('.');
    if (first !== prefix) return [];
    const path = pathTo(steps, input);
    return maySecret(input, path) ? [issue(path, 'structure', `${label(path)} may not stand in the query`)] : [];
  });
}

function maySecret(schema: Schema, [step, ...rest]: Path): boolean {
  switch (schema.kind) {
    case 'map':
      return true;
    case 'object': {
      const field = typeof step === 'string' && Object.hasOwn(schema.fields, step) ? schema.fields[step] : undefined;
      return field !== undefined && maySecret(field.schema, rest);
    }
    case 'list':
      return maySecret(schema.item, rest);
    case 'string':
      return schema.sensitive === true || schema.neverStored === true;
    default:
      return false;
  }
}
