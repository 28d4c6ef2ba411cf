/** Recorded answers of a mock: outputs and problems by operation, and by members of the request. */
import {
  compileRead,
  type Field,
  faultOf,
  IssueCollector,
  type ObjectSchema,
  type Operation,
  Problem,
  type ProblemKind,
  problemsOf,
  type Schema,
  type Service,
  withDepth,
} from '../../../core/contract/index.ts';
import {
  compilePrint,
  dateTimeFormat,
  ownLimits,
  parseText,
  jsonReader as reader,
} from '../../../core/formats/index.ts';
import { isMembers } from '../../../core/lib/index.ts';
import { exampleProblem } from '../declared-problems.ts';

/** What a mock answers instead of an example. Members are those of JSON callers. */
export interface RecordedAnswer {
  readonly operation: string;
  /** By default every service that has the operation. */
  readonly service?: string;
  /** Members that the request must have; by default every request of the operation is answered so. */
  readonly when?: Readonly<Record<string, unknown>>;
  /** Either the answer, or the problem that refuses the request. */
  readonly output?: Readonly<Record<string, unknown>>;
  readonly problem?: string;
  /** The data of a problem that is a declared fault; by default its example. */
  readonly fault?: Readonly<Record<string, unknown>>;
}

/** Returns the output of a request, throws its problem, or returns undefined where nothing recorded fits. */
type Replay = (input: unknown) => unknown;

const members = Object.keys({
  operation: true,
  service: true,
  when: true,
  output: true,
  problem: true,
  fault: true,
} satisfies Record<keyof RecordedAnswer, true>);

/** Throws TypeError for an answer that no service can give. */
export function checkRecorded(answers: readonly RecordedAnswer[], services: readonly Service[]): void {
  for (const answer of answers) {
    const unknown = Object.keys(answer).find((name) => !members.includes(name));
    if (unknown !== undefined) throw new TypeError(`${unknown} is not one of ${members.join(', ')}`);
    const { operation, service, output, problem, fault } = answer;
    if (!services.some((each) => concerns(answer, each)))
      throw new TypeError(`no service has the operation ${[service, operation].filter(Boolean).join('.')}`);
    if ((output === undefined) === (problem === undefined))
      throw new TypeError(`${operation}: give either output or problem`);
    if (fault !== undefined && problem === undefined) throw new TypeError(`${operation}: fault belongs to problem`);
  }
}

function concerns({ operation, service }: RecordedAnswer, { name, operations }: Service): boolean {
  return operations.has(operation) && (service ?? name) === name;
}

/** The first answer that fits a request counts. Undefined where none is for the operation. Throws TypeError for a value that breaks the contract. */
export function compileReplay(
  answers: readonly RecordedAnswer[],
  service: Service,
  operation: Operation,
): Replay | undefined {
  const own = answers.filter((each) => each.operation === operation.name && concerns(each, service));
  if (own.length === 0) return undefined;
  const compiled = own.map(({ when, ...answer }) => {
    if (when !== undefined) checkNames(when, operation.input, `${operation.name}: when`);
    return { when, give: compileAnswer(answer, service, operation) };
  });
  const print = compilePrint(operation.input, dateTimeFormat('UTC', 'absent'), service);
  return (input) => {
    const request: unknown = compiled.some(({ when }) => when !== undefined) ? JSON.parse(print(input)) : {};
    return compiled.find(({ when }) => when === undefined || fits(when, request))?.give();
  };
}

function compileAnswer(
  { output, problem, fault }: Omit<RecordedAnswer, 'when'>,
  service: Service,
  operation: Operation,
): () => unknown {
  if (problem === undefined) {
    const value = read(output, operation.output, operation.name);
    return () => value;
  }
  const kind: ProblemKind | undefined = problemsOf(service).get(problem);
  if (kind === undefined)
    throw new TypeError(`${operation.name}: ${problem} is not one of ${[...problemsOf(service).keys()].join(', ')}`);
  const declared = faultOf(operation, kind);
  if (fault !== undefined && declared === undefined)
    throw new TypeError(`${operation.name}: ${problem} comes without data`);
  const data = fault && declared && read(fault, declared.detail, `${operation.name}: ${problem}`);
  return () => {
    throw data === undefined ? exampleProblem(operation, kind) : new Problem(kind, undefined, { fault: data });
  };
}

/** Reads a value as that of a caller in JSON. */
function read(value: unknown, schema: ObjectSchema, place: string): unknown {
  const parsed = parseText(JSON.stringify(value), withDepth(ownLimits, schema));
  const collector = new IssueCollector();
  const canonical = 'tree' in parsed ? compileRead(schema, reader)(parsed.tree, collector) : undefined;
  const [issue] = collector.issues;
  if (issue !== undefined) throw new TypeError(`${place}: ${issue.message}`);
  return canonical ?? {};
}

/** A misspelled name would fit no request. */
function checkNames(value: unknown, schema: Schema, place: string): void {
  if (schema.kind === 'list' && Array.isArray(value) && !schema.joined)
    for (const each of value) checkNames(each, schema.item, place);
  if (schema.kind !== 'object' || !isMembers(value)) return;
  const fields = new Map(Object.entries<Field>(schema.fields).map(([name, field]) => [field.json ?? name, field]));
  for (const [name, each] of Object.entries(value)) {
    const field = fields.get(name);
    if (field === undefined)
      throw new TypeError(`${place}: ${name} is not one of ${[...fields.keys()].join(', ') || 'any members'}`);
    checkNames(each, field.schema, `${place}.${name}`);
  }
}

/** Whether a value has what is asked for; it may have more members. Numbers and their texts are equal. */
function fits(wanted: unknown, value: unknown): boolean {
  if (isMembers(wanted))
    return isMembers(value) && Object.entries(wanted).every(([name, each]) => fits(each, value[name]));
  if (Array.isArray(wanted))
    return Array.isArray(value) && wanted.length === value.length && wanted.every((each, at) => fits(each, value[at]));
  if (wanted === null || value === null || value === undefined) return (wanted ?? undefined) === (value ?? undefined);
  return typeof value !== 'object' && String(wanted) === String(value);
}
