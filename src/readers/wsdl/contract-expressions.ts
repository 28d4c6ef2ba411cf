/** The parts of a contract as source text: scalars with names for them, choices, and values of options. */
import type { Choice, ScalarSchema } from '../../core/contract/index.ts';
import { call, type Expression, members, quote } from './source-text.ts';

/** The names of ranges that WSDLs use. */
const ranges: Readonly<Record<string, string>> = {
  '-32768,32767': 'short',
  '-2147483648,2147483647': 'int',
};

export function choiceExpression({ options, exclusive, orNone, problem, doc }: Choice): Expression {
  const name = typeof problem === 'string' ? problem : problem.name;
  return dataExpression({ options, exclusive, orNone, problem: name, doc });
}

/** Plain data: objects, lists, texts, numbers and booleans. */
export function dataExpression(value: unknown): Expression {
  if (Array.isArray(value)) return { items: value.map(dataExpression) };
  if (typeof value !== 'object' || value === null) return literal(value);
  return members(dataMembers(value));
}

/** Members of plain data. Those that are undefined are left out. */
export function dataMembers(value: object): Readonly<Record<string, Expression>> {
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries.map(([name, each]) => [name, dataExpression(each)]));
}

export function literal(value: unknown): string {
  return typeof value === 'string' ? quote(value) : String(value);
}

export function scalarExpression(schema: ScalarSchema) {
  switch (schema.kind) {
    case 'integer':
      return call('integer', String(schema.min), String(schema.max), String(schema.example), sensitiveOf(schema));
    case 'boolean':
      return call('boolean', String(schema.example));
    case 'double':
      return call('double', String(schema.example), sensitiveOf(schema));
    case 'dateTime': {
      const { timeZone } = schema;
      return call(
        'dateTime',
        String(schema.example),
        timeZone === undefined ? undefined : dataExpression({ timeZone }),
      );
    }
    case 'date':
      return call('date', quote(schema.example));
    case 'enum':
      return call('oneOf', quote(schema.name), ...schema.values.map(quote));
    case 'string':
    case 'decimal':
    case 'binary': {
      const { kind, ...options } = schema;
      return call(kind, dataExpression(options));
    }
    default:
      return schema satisfies never;
  }
}

function sensitiveOf({ sensitive }: { readonly sensitive?: true }): Expression | undefined {
  return sensitive && dataExpression({ sensitive });
}

export function scalarName(schema: ScalarSchema): string {
  switch (schema.kind) {
    case 'enum':
      return schema.name;
    case 'integer':
      return ranges[`${schema.min},${schema.max}`] ?? 'count';
    case 'string':
      return schema.pattern === undefined ? `text${schema.max ?? ''}` : 'code';
    case 'boolean':
      return 'flag';
    case 'double':
      return 'float';
    case 'decimal':
      return schema.fraction === 0 ? 'long' : 'amount';
    case 'dateTime':
      return 'moment';
    case 'date':
      return 'day';
    case 'binary':
      return 'bytes';
    default:
      return schema satisfies never;
  }
}
