/** Reads what an operation receives: parameters and the members of the body, under names that are unique. */
import {
  isOwnHeader,
  optional,
  required,
  type UpstreamBody,
  type UpstreamParameter,
} from '../../core/contract/index.ts';
import { capitalised, StubNames } from '../../documents/index.ts';
import { readBody } from './bodies.ts';
import { memberName } from './names.ts';
import { type Declared, type Fields, parameterOf, schemaOfParameter, styleOf } from './parameters.ts';
import { withName, xsdOf } from './scalars.ts';
import type { SchemaReader } from './schemas.ts';
import { textOf } from './shapes.ts';

/** The fields of a message, and where they stand at the upstream. */
interface ReadInput {
  readonly fields: Fields;
  /** The path, with the names of fields in braces. */
  readonly path: string;
  readonly parameters: Readonly<Record<string, UpstreamParameter>>;
  readonly body: UpstreamBody | undefined;
}

const reservedField = 'idempotencyKey';

export function readInput(reader: SchemaReader, declared: Declared, type: string): ReadInput {
  const { findings } = reader;
  const names = new StubNames();
  names.take(reservedField);
  const all = declared.parameters.flatMap((node) => parameterOf(reader, node) ?? []);
  const inBody = readBody(reader, declared, all, type);
  const fields: Fields = {};
  const parameters: Record<string, UpstreamParameter> = {};
  // What a path has behind its question mark is no template.
  const [template = '', question = ''] = declared.path.split(/(?=\?)/, 2);
  let path = template;
  const pathNames = new Map<string, string>();
  const outside = all.filter(({ location }) => location !== 'body' && location !== 'formData');
  for (const match of path.matchAll(/\{([^{}]*)\}/g)) {
    const [, name = ''] = match;
    if (!outside.some((each) => each.location === 'path' && each.name === name))
      outside.push({ node: declared.node, name, location: 'path', isRequired: true, members: {} });
  }
  for (const each of outside) {
    const { node, name, location } = each;
    if (location === 'path' && !path.includes(`{${name}}`)) {
      findings.add('refused', node, `the path has no {${name}}; the parameter is left out`);
      continue;
    }
    if (location === 'header' && /^idempotency-key$/i.test(name)) {
      findings.add(
        'changed',
        node,
        'the gateway has this header for each write; --upstream-idempotency header passes it on',
      );
      continue;
    }
    if (location === 'header' && !isOwnHeader(name)) {
      findings.add('refused', node, `the gateway sends the header ${name} itself; the parameter is left out`);
      continue;
    }
    if (location !== 'path' && location !== 'query' && location !== 'header' && location !== 'cookie') {
      findings.add('refused', node, 'a parameter in an unknown place is left out');
      continue;
    }
    const wanted = memberName(name);
    const isTaken = inBody.names.has(wanted) || Object.hasOwn(fields, wanted);
    const field = names.take(isTaken ? `${wanted}In${capitalised(location)}` : wanted);
    const schema = withName(schemaOfParameter(reader, each, `${type}${capitalised(field)}`), field);
    const xsd = xsdOf(schema);
    const make = each.isRequired || location === 'path' ? required : optional;
    fields[field] = make(schema, textOf(each.members.description), { ...(xsd && { xsd }) });
    parameters[field] = { in: location, ...(name !== field && { name }), ...styleOf(each) };
    if (location === 'path') pathNames.set(name, field);
  }
  path = path.replace(/\{([^{}]*)\}/g, (_, name: string) => `{${pathNames.get(name) ?? name}}`) + question;
  Object.assign(fields, inBody.fields(names));
  return { fields, path, parameters, body: inBody.body };
}
