/** Compiles the reading of answers of other servers. */

import {
  AnswerCollector,
  type CompileRead,
  dotted,
  type ExtraMember,
  isBound,
  label,
  type ObjectSchema,
  type Operation,
  printable,
  type Reader,
  splitByLocation,
  type UnknownMembers,
} from '../contract/index.ts';
import { escapeUnits, memoize } from '../lib/index.ts';
import { compileLocations, type Parts, type ReadParts, type ReadResult, readBodyBy } from './codec.ts';
import type { DecodedAnswer, FormatContext } from './protocol.ts';

/** An answer of another server, as it is read. */
export interface ReadAnswer extends ReadResult {
  readonly unknown: readonly UnknownMembers[];
  /** As in `DecodedAnswer`. */
  readonly unknownMembers: readonly string[];
  /** Those members with their texts. */
  readonly members: readonly ExtraMember[];
}

const emptyAnswer = Object.freeze({});
const none: readonly never[] = Object.freeze([]);
/** An answer may have any number of unknown members. */
const namesMax = 50;

/** Each operation is compiled at its first use. */
export function compileAnswers<N>(
  reader: Reader<N>,
  { compileRead }: Pick<FormatContext, 'compileRead'>,
  textsOf: TextsOf<N>,
): (operation: Operation, parts: Parts<N>) => ReadAnswer {
  const readOf = memoize((operation: Operation) => compileAnswer(operation, reader, compileRead));
  return (operation, parts) => {
    const collector = new AnswerCollector();
    const value = readOf(operation)(parts, collector) ?? emptyAnswer;
    const { issues, unknown } = collector;
    if (unknown.length === 0) return { value, issues, unknown, unknownMembers: none, members: none };
    return { value, issues, ...describeUnknown(unknown as readonly UnknownMembers<N>[], textsOf) };
  };
}

/** Members that the contract does not have, with their names and texts. */
export function describeUnknown<N>(
  unknown: readonly UnknownMembers<N>[],
  textsOf: TextsOf<N>,
): Pick<ReadAnswer, 'unknown' | 'unknownMembers' | 'members'> {
  return { unknown, unknownMembers: namesOf(unknown), members: membersOf(unknown, textsOf) };
}

/** An answer has fields in its body, and in its headers where the operation has an HTTP binding. */
function compileAnswer<N>(operation: Operation, reader: Reader<N>, compileRead: CompileRead): ReadParts<N> {
  const { output } = operation;
  const compile = (schema: ObjectSchema) => compileRead(schema, reader, 'server');
  const hasHeaders = isBound(operation) && Object.keys(splitByLocation(output).header.fields).length > 0;
  return hasHeaders ? compileLocations(output, ['header', 'body'], compile) : readBodyBy(compile(output));
}

/** Returns what a codec returns for an answer. */
export function decodedAnswer({ value, issues, unknownMembers, members }: ReadAnswer): DecodedAnswer {
  return { value, issues, unknownMembers, ...(members.length > 0 && { extras: { members } }) };
}

function namesOf(unknown: readonly UnknownMembers[]): readonly string[] {
  const names = unknown.flatMap(({ path, nodes }) => [...nodes.keys()].map((name) => label([...path, name])));
  return [...new Set(names)].slice(0, namesMax);
}

/** Returns what a node of a format holds: a text, or texts by what follows its name. */
type TextsOf<N> = (node: N, name: string) => string | readonly ExtraMember[];

function membersOf<N>(unknown: readonly UnknownMembers<N>[], textsOf: TextsOf<N>): readonly ExtraMember[] {
  const members: ExtraMember[] = [];
  for (const { path, nodes } of unknown)
    for (const [name, same] of nodes)
      for (const node of same) {
        const texts = textsOf(node, name);
        const place = dotted([...path, name]);
        if (typeof texts === 'string') members.push(member(place, texts));
        else members.push(...texts.map((each) => member(place + each.name, each.value)));
      }
  return members;
}

function member(name: string, value: string): ExtraMember {
  return { name: escaped(name), value: escaped(value) };
}

/** JSON has characters that XML cannot carry; they are written as in JSON. */
function escaped(text: string): string {
  return printable(text) ? text : Array.from(text, (each) => (printable(each) ? each : escapeUnits(each))).join('');
}
