/** Reads answers of other servers in JSON. */
import type { Operation } from '../../contract/operation.ts';
import type { Field, ObjectSchema } from '../../contract/schema.ts';
import { compileAnswers } from '../answers.ts';
import { requireTree } from '../malformed-body.ts';
import type { DecodedAnswer, Reply } from '../protocol.ts';
import { collectExtras } from './extras.ts';
import { parse } from './parse.ts';
import { answerReader } from './read.ts';

/** Members that the contract does not have may be deeper than its own. */
const answerLimits = { depthMax: 100, membersMax: Number.POSITIVE_INFINITY };

const emptyObject = Object.freeze({});

/** The fields that an answer has in its headers, by name. */
type HeaderFields = (operation: Operation, headers: Reply['headers']) => Readonly<Record<string, string>>;

export function createAnswerDecoder(
  headerFields: HeaderFields = () => emptyObject,
): (operation: Operation, reply: Reply) => DecodedAnswer {
  const read = compileAnswers(answerReader);
  return (operation, { media, headers, body }) => {
    // Servers answer `204 No Content` and `null` for an answer without fields.
    const tree =
      body.length === 0 ? emptyObject : (requireTree(parse(body, media.charset, answerLimits)) ?? emptyObject);
    const { value, issues, unknown, unknownMembers } = read(operation, {
      header: headerFields(operation, headers),
      body: Array.isArray(tree) ? inOnlyList(tree, operation.output) : tree,
    });
    return unknown.length === 0
      ? { value, issues, unknownMembers }
      : { value, issues, unknownMembers, extras: collectExtras(unknown, operation.output) };
  };
}

/** An array is the only list of the answer, where the answer has no other field. */
function inOnlyList(items: readonly unknown[], { fields }: ObjectSchema): unknown {
  const [only, ...others] = Object.entries<Field>(fields);
  if (only === undefined || others.length > 0) return items;
  const [name, { schema, json = name }] = only;
  return schema.kind === 'list' ? { [json]: items } : items;
}
