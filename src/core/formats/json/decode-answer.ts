/** Reads answers of other servers in JSON. */
import {
  compileRead,
  type Field,
  isBound,
  type ObjectSchema,
  type Operation,
  splitByLocation,
  type UnknownMembers,
} from '../../contract/index.ts';
import { compileAnswers, describeUnknown, type ReadAnswer } from '../answers.ts';
import { decodeText } from '../body-text.ts';
import { requireTree } from '../malformed-body.ts';
import type { DecodedAnswer, FormatContext, Reply } from '../protocol.ts';
import { textOf, treeText } from './extras.ts';
import { begins, withoutMisfits } from './misfits.ts';
import { plainValue, treesOf } from './places.ts';
import { createPlainReader } from './plain.ts';
import { answerLimits } from './scan.ts';

const none: readonly never[] = Object.freeze([]);
const emptyObject = Object.freeze({});

/** The fields that an answer has in its headers, by name. */
type HeaderFields = (operation: Operation, headers: Reply['headers']) => Readonly<Record<string, string>>;

/** The tree of an answer that is no plain object of JSON; undefined for any other. */
type OtherTree = (operation: Operation, reply: Reply) => unknown;

/** Whether all fields that the answer has are in its body, which is an object of JSON. */
type IsWhole = (operation: Operation, reply: Reply) => boolean;

export function createAnswerDecoder(
  context: Pick<FormatContext, 'compileRead'>,
  headerFields: HeaderFields = () => emptyObject,
  otherTree: OtherTree = () => undefined,
  isWhole: IsWhole = () => true,
): (operation: Operation, reply: Reply) => DecodedAnswer {
  const { answerReader, parse } = treesOf(context);
  const read = compileAnswers(answerReader, context, textOf);
  const isUsual = context.compileRead === compileRead;
  const readPlain = createPlainReader((operation) => (isUsual ? bodyOf(operation) : undefined), answerLimits);
  const parseBody = ({ media, body }: Reply): unknown => {
    // Servers answer `204 No Content` and `null` for an answer without fields.
    const parsed = body.length === 0 ? emptyObject : requireTree(parse(decodeText(body, media.charset), answerLimits));
    return plainValue(parsed) === null ? emptyObject : parsed;
  };
  return (operation, reply) => {
    const { media, headers, body } = reply;
    const decoded = isWhole(operation, reply) ? decodeText(body, media.charset) : undefined;
    const plain = decoded !== undefined && 'text' in decoded ? readPlain(operation, decoded.text) : undefined;
    if (plain !== undefined) return { value: plain, issues: none, unknownMembers: none };
    const tree = otherTree(operation, reply) ?? parseBody(reply);
    const whole = Array.isArray(plainValue(tree)) ? inOnlyList(tree, operation.output) : tree;
    const answer = read(operation, { header: headerFields(operation, headers), body: whole });
    const { value, issues, unknown, unknownMembers, members } =
      answer.issues.length > 0 && operation.upstream?.answer !== undefined
        ? setMisfitsAside(answer, whole, operation.output)
        : answer;
    return unknown.length === 0
      ? { value, issues, unknownMembers }
      : { value, issues, unknownMembers, extras: { members, json: treeText(unknown, operation.output) } };
  };
}

/** Values that are none of the contract become members that it does not have. */
function setMisfitsAside(answer: ReadAnswer, tree: unknown, output: ObjectSchema): ReadAnswer {
  const { value, misfits } = withoutMisfits(answer.value, answer.issues, tree, output);
  const taken = misfits.flatMap(({ path, nodes }) => [...nodes.keys()].map((name) => [...path, name]));
  const isOutside = ({ path }: UnknownMembers): boolean => !taken.some((place) => begins(path, place));
  const described = describeUnknown([...answer.unknown.filter(isOutside), ...misfits], textOf);
  return { value, issues: none, ...described };
}

/** The schema of answers whose fields are all in the body. */
function bodyOf(operation: Operation): ObjectSchema | undefined {
  const { output } = operation;
  const isWhole = !isBound(operation) || Object.keys(splitByLocation(output).header.fields).length === 0;
  return isWhole ? output : undefined;
}

/** An array is the only list of the answer, where the answer has no other field. */
function inOnlyList(items: unknown, { fields }: ObjectSchema): unknown {
  const [only, ...others] = Object.entries<Field>(fields);
  if (only === undefined || others.length > 0) return items;
  const [name, { schema, json = name }] = only;
  return schema.kind === 'list' ? { [json]: items } : items;
}
