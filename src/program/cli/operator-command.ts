/** Commands of operators: an operation with its contract, and how a terminal names its fields and prints its outcome. */

import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { type ActionCommand, type Backend, type CommandTexts, describeShadows } from '../../backend/index.ts';
import type { Config } from '../../config/index.ts';
import {
  compileRead,
  type Field,
  type Input,
  IssueCollector,
  type Operation,
  type Output,
  type Schema,
} from '../../core/contract/index.ts';
import { jsonReader as reader } from '../../core/formats/index.ts';
import { type OperatorContext, ownProof, perform } from '../../operators/index.ts';
import { systemUser } from './audited-command.ts';
import { type Progress, showProgress } from './import/progress.ts';
import { localOrigin } from './origin-option.ts';
import { print, printAll } from './output.ts';
import { configFileName, mappedUpstreams, projectDeprecations, projectUpstreams } from './project.ts';
import { servedServices } from './project-upstreams.ts';
import { type WithBackendOptions, withBackend } from './with-backend.ts';

/** What is given on the command line, by the names of fields and options. */
export type Given = Readonly<Record<string, unknown>>;

/** What a command of the program may have besides the texts of an action. */
export interface OperatorCommand<O extends Operation> extends Omit<ActionCommand<O>, 'name'> {
  /** Options that are no fields. */
  readonly options?: readonly Option[];
  readonly defaults?: Given;
  /** Makes the input of the fields and options; by default the fields as they are given. */
  readonly input?: (given: Given, command: Command) => unknown;
  /** With `--json`: lines of JSON. */
  readonly jsonLines?: (output: Output<O>) => readonly string[];
  readonly access?: WithBackendOptions;
}

/** Adds a command to a group. Its operands and options are the fields of the operation. */
export function addOperation<O extends Operation>(
  parent: Command,
  name: string,
  operation: O,
  parts: OperatorCommand<O>,
): Command {
  const command = declareOperation(parent, name, operation, parts);
  return command.action(async (...parameters: readonly unknown[]) => {
    const { json, ...given } = givenOf(command, parts.operands ?? {}, parameters);
    const input = readInput(command, operation, (await parts.input?.(given, command)) ?? given);
    const output = await performOnBackend(operation, input, parts.access);
    if (parts.failed?.(output)) process.exitCode = 1;
    if (!json) printAll(parts.text(output, input));
    else if (parts.jsonLines === undefined) print(JSON.stringify(parts.json?.(output, input)));
    else printAll(parts.jsonLines(output));
  });
}

/** Adds a command without its action. */
export function declareOperation<O extends Operation>(
  parent: Command,
  name: string,
  { doc, input }: O,
  parts: Pick<
    OperatorCommand<O>,
    'doc' | 'example' | 'operands' | 'flags' | 'options' | 'defaults' | 'json' | 'jsonLines'
  >,
): Command {
  const { operands = {}, flags = {}, options = [], defaults = {}, example } = parts;
  const command = parent.command(name).description(parts.doc ?? sentence(doc));
  for (const [operand, field] of Object.entries<string>(operands)) {
    const { required, doc: meaning } = input.fields[field]!;
    command.argument(required ? `<${operand}>` : `[${operand}]`, sentence(meaning));
  }
  for (const [field, described] of Object.entries(input.fields)) {
    const given = (flags as Readonly<Record<string, string | null>>)[field];
    if (given === null || field in ownProof || Object.values<string>(operands).includes(field)) continue;
    const option = optionOf(field, described, given);
    command.addOption(field in defaults ? option.default(defaults[field]) : option);
  }
  for (const option of options) command.addOption(option);
  if (parts.json !== undefined || parts.jsonLines !== undefined) command.option('--json', 'prints JSON');
  return addExample(command, example);
}

/** Adds what `--help` of a command ends with. */
export function addExample(command: Command, example: CommandTexts['example']): Command {
  return command.addHelpText('after', () => {
    const text = typeof example === 'string' ? example : example();
    return text.includes('\n') ? `\n${text}` : `\nExample:\n  ${text}`;
  });
}

/** Performs an operation on the backend of the configuration, for the user of the operating system. */
export async function performOnBackend<O extends Operation>(
  operation: O,
  input: Input<O>,
  access?: WithBackendOptions,
): Promise<Output<O>> {
  return withOperator((context) => perform(operation, input, context), access);
}

/** Opens the backend of the configuration for operations. */
export async function withOperator<T>(
  work: (context: OperatorContext & { readonly backend: Backend }) => Promise<T>,
  access?: WithBackendOptions,
): Promise<T> {
  let progress: Progress | undefined;
  return withBackend((backend: Backend, config: Config) => {
    return work({
      backend,
      config,
      services: servedServices(),
      callers: () => localOrigin,
      deprecations: { configured: projectDeprecations(), source: configFileName() ?? 'configuration' },
      mappedUpstreams: mappedUpstreams(),
      shadows: describeShadows(projectUpstreams().upstreams ?? {}),
      by: systemUser(),
      progress(total) {
        progress = showProgress(total);
        return progress.update;
      },
    });
  }, access).finally(() => progress?.stop());
}

/** Reads the input of an operation as its contract has it. What is wrong with it is an error of the command line. */
export function readInput<O extends Operation>(command: Command, { input: schema }: O, given: unknown): Input<O> {
  const collector = new IssueCollector();
  const input = compileRead(schema, reader)(given, collector) as Input<O> | undefined;
  const [first] = collector.issues;
  if (first !== undefined) {
    const field = String(first.path[0] ?? '');
    const doc = schema.fields[field]?.doc ?? '';
    command.error(`error: ${field}: ${first.message}. ${doc}`);
  }
  return input ?? ({} as Input<O>);
}

/** The operands by the fields that they are, and the options. */
export function givenOf(
  command: Command,
  operands: Readonly<Record<string, string>>,
  parameters: readonly unknown[],
): Given {
  const named = Object.values(operands).map((field, at) => [field, parameters[at]]);
  return { ...command.opts<Given>(), ...takenByParents(command), ...Object.fromEntries(named) };
}

/** A group with options of its own, such as `callers`, takes those of the same name, wherever they stand. */
function takenByParents(command: Command): Given {
  const taken: Record<string, unknown> = {};
  for (let parent = command.parent; parent !== null; parent = parent.parent)
    for (const name of command.options.map((option) => option.attributeName()))
      if (parent.getOptionValueSource(name) === 'cli') taken[name] = parent.getOptionValue(name);
  return taken;
}

/** `--require-idempotency-key`: a field that is true or false needs no value, and one of a list is repeated. */
function optionOf(field: string, { schema, required, doc }: Field, flags: string | undefined): Option {
  const name = field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const value = schema.kind === 'boolean' ? '' : ` <${name}>`;
  const option = new Option(flags ?? `--${name}${value}`, sentence(doc)).makeOptionMandatory(required);
  const of: Schema = schema;
  if (of.kind === 'list' && !of.joined)
    option.argParser<readonly string[]>((text, before) => [...(Array.isArray(before) ? before : []), text]);
  return of.kind === 'enum' ? option.choices(of.values) : option;
}

/** A sentence as helps have it: without its end, and in lower case. */
export function sentence(doc: string): string {
  return `${doc[0]!.toLowerCase()}${doc.slice(1).replace(/\.$/, '')}`;
}

/** Numbers stand at the right of their column. */
export function formatTable<R>(
  rows: readonly R[],
  columns: Readonly<Record<string, (row: R) => string | number>>,
): readonly string[] {
  const cells = rows.map((row) => Object.values(columns).map((cellOf) => cellOf(row)));
  const heads = Object.keys(columns);
  const widths = heads.map((head, at) => Math.max(head.length, ...cells.map((row) => String(row[at]).length)));
  const line = (row: readonly (string | number)[]): string =>
    row
      .map((cell, at) => {
        const text = String(cell);
        return typeof cells[0]?.[at] === 'number' ? text.padStart(widths[at]!) : text.padEnd(widths[at]!);
      })
      .join('  ')
      .trimEnd();
  return [line(heads), ...cells.map(line)];
}

/** A line for each row, or one that says that there is none. */
export function linesOf<R>(
  rows: readonly R[],
  lineOf: (row: R) => readonly string[],
  empty: string,
): readonly string[] {
  return rows.length === 0 ? [empty] : rows.map((row) => lineOf(row).join('  '));
}

/** Returns the text of a file, or that of standard input. Asks for it on a terminal. `what`: `secret`. */
export function readSecret(what: string, file: unknown): string {
  if (file === undefined && process.stdin.isTTY)
    process.stderr.write(`The ${what}, then Enter and Ctrl-D (the terminal shows it):\n`);
  return readFileSync(file === undefined ? 0 : String(file), 'utf8').replace(/\r?\n$/, '');
}
