/** Reads how an upstream is asked for the outcome of a write, and checks it against the contracts. */
import { didYouMean } from '../../config/index.ts';
import {
  type ObjectSchema,
  type Operation,
  operationNamed,
  operationNames,
  type Schema,
  type Service,
  schemaAt,
} from '../../core/contract/index.ts';
import { isMembers } from '../../core/lib/index.ts';
import type { LookupPlan, LookupSource, MemberOrConstant, ValueAt } from '../../forward/index.ts';
import type { MemberReader } from './members.ts';

/** A look-up as configured: operations and members are not checked yet. */
export interface ConfiguredLookup {
  /** `Orders.placeOrder`. */
  readonly of: string;
  /** `Orders.findOrder`. */
  readonly by: string;
  readonly input: readonly ValueAt<LookupSource>[];
  readonly same: readonly ValueAt<LookupSource>[];
  readonly found: readonly string[];
  readonly done: readonly ValueAt<readonly (string | number | boolean)[]>[];
  /** Absent where members of the same name are the output. */
  readonly output: readonly ValueAt<MemberOrConstant>[] | undefined;
  readonly notFound: readonly (string | number)[];
  readonly arrivesWithinMs: number | undefined;
}

/** The look-ups of an upstream that fit its contracts. */
export interface UpstreamLookup extends LookupPlan {
  readonly service: Service;
  /** The write. */
  readonly operation: Operation;
}

const operationName = { pattern: /^[^.]+\.[^.]+$/, hint: 'is not the name of an operation, like Orders.findOrder' };
const dayMs = 24 * 60 * 60 * 1000;

export function readLookups(reader: MemberReader): readonly ConfiguredLookup[] {
  if (!reader.has('lookups')) {
    if (reader.has('lookupHeader'))
      reader.fault('lookupHeader', 'is given without lookups: add them, or leave both out');
    return [];
  }
  const idempotency = reader.value('idempotency') ?? 'none';
  if (idempotency !== 'none')
    reader.fault(
      'lookups',
      `is given, and idempotency is ${JSON.stringify(idempotency)}: a retry asks such an upstream again under its key, so leave one out`,
    );
  const lookups = reader.object('lookups');
  return reader.names('lookups').map((of) => readLookup(lookups.object(of), of, reader.has('lookupHeader')));
}

function readLookup(reader: MemberReader, of: string, sendsKey: boolean): ConfiguredLookup {
  reader.allow('by', 'input', 'same', 'found', 'done', 'output', 'notFound', 'notFoundAfterMs');
  if (!reader.has('by')) reader.fault('by', 'is missing: name an operation that reads, like Orders.findOrder');
  if (!reader.has('input')) reader.fault('input', 'is missing: say how the request is found');
  return {
    of,
    by: reader.text('by', operationName) ?? '',
    input: readSources(reader, 'input', sendsKey),
    same: readSources(reader, 'same', sendsKey),
    found: reader.text('found')?.split('.') ?? [],
    done: readEach(reader, 'done', (conditions, name) => {
      const value = conditions.value(name);
      const list: readonly unknown[] = Array.isArray(value) ? value : [value];
      const known = list.filter((each) => isScalar(each));
      if (known.length !== list.length || list.length === 0)
        conditions.fault(name, 'is no value, and no list of values');
      return known;
    }),
    output: reader.has('output') ? readEach(reader, 'output', readMember) : undefined,
    // That of something before the server says nothing of its requests, so none counts by default.
    notFound:
      reader.statuses('notFound', [400, 499], 'is no list of statuses from 400 to 499, and of codes of refusals') ?? [],
    arrivesWithinMs: reader.has('notFoundAfterMs') ? reader.wholeNumber('notFoundAfterMs', 0, dayMs, 0) : undefined,
  };
}

function readSources(reader: MemberReader, name: string, sendsKey: boolean): readonly ValueAt<LookupSource>[] {
  return readEach(reader, name, (sources, member): LookupSource => {
    const given = sources.value(member);
    if (!isMembers(given) || given.key !== true) return readMember(sources, member);
    const source = sources.object(member);
    source.allow('key');
    if (!sendsKey) source.fault('key', 'is given without lookupHeader, so the upstream gets no key: name the header');
    return 'key';
  });
}

function readMember(reader: MemberReader, name: string): MemberOrConstant {
  const given = reader.value(name);
  if (typeof given === 'string' && given !== '') return { path: given.split('.') };
  const source = reader.object(name);
  source.allow('value');
  const value = source.value('value');
  if (typeof value !== 'string' && typeof value !== 'boolean')
    source.fault('', 'is neither the name of a member nor { value: ... }');
  return { value: typeof value === 'boolean' ? value : String(value) };
}

function readEach<T>(
  around: MemberReader,
  name: string,
  read: (reader: MemberReader, member: string) => T,
): readonly ValueAt<T>[] {
  const reader = around.object(name);
  return around.names(name).map((member) => ({ at: member.split('.'), value: read(reader, member) }));
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** Reports what does not fit the contracts. `services`: the newest version of each; `answers`: whether the upstream answers an operation. */
export function resolveLookups(
  configured: readonly ConfiguredLookup[],
  upstream: string,
  services: readonly Service[],
  answers: (service: string, operation: string) => boolean,
  faults: string[],
): readonly UpstreamLookup[] {
  return configured.flatMap((each) => {
    const before = faults.length;
    const fault = (text: string): void => {
      faults.push(`upstreams.${upstream}.lookups.${each.of}${text}`);
    };
    const write = findOperation(each.of, services, answers, (text) => fault(`: ${text}`));
    const lookup = findOperation(each.by, services, answers, (text) => fault(`.by: ${text}`));
    if (write === undefined || lookup === undefined) return [];
    if (write.operation.effect === 'reads') fault(': it reads, so its outcome is never unknown.');
    if (lookup.operation.effect !== 'reads')
      fault(`.by is ${each.by}, which may change something: name one that reads.`);
    const { output, ...plan } = each;
    const found = foundSchema(lookup.operation, each.found);
    if (found === undefined) {
      fault(`.found is ${each.found.join('.')}, and the answer of ${each.by} has no such object, or list of objects.`);
      return [];
    }
    for (const { at, value } of each.input)
      checkSource(at, value, schemaAt(lookup.operation.input, at), write.operation.input, (text) =>
        fault(`.input.${text}`),
      );
    for (const { at, value } of each.same)
      checkSource(at, value, schemaAt(found, at), write.operation.input, (text) => fault(`.same.${text}`));
    for (const { at } of each.done)
      if (kindAt(found, at) === undefined) fault(`.done.${at.join('.')} is no single value of what is found.`);
    const given = new Set(each.input.map(({ at }) => at[0]));
    for (const [name, { required }] of Object.entries(lookup.operation.input.fields))
      if (required && !given.has(name)) fault(`.input lacks ${name}, which ${each.by} requires.`);
    const picked = output ?? sameMembers(found, write.operation.output);
    checkOutput(picked, found, write.operation.output, fault);
    return faults.length > before
      ? []
      : { ...plan, ...write, output: picked, lookupService: lookup.service, lookupOperation: lookup.operation };
  });
}

function findOperation(
  name: string,
  services: readonly Service[],
  answers: (service: string, operation: string) => boolean,
  fault: (text: string) => void,
): { readonly service: Service; readonly operation: Operation } | undefined {
  const found = operationNamed(services, name);
  if (found !== undefined && answers(found.service.name, found.operation.name)) return found;
  fault(
    found === undefined
      ? `there is no operation ${name}; ${didYouMean(name, operationNames(services))}`
      : `${name} is answered by another upstream, or by a handler.`,
  );
  return undefined;
}

/** The schema of what is found: the answer itself, an object in it, or the items of a list. */
function foundSchema({ output }: Operation, path: readonly string[]): ObjectSchema | undefined {
  const schema = schemaAt(output, path);
  const item = schema?.kind === 'list' ? schema.item : schema;
  return item?.kind === 'object' ? item : undefined;
}

/** The kinds of values whose canonical form is that of JSON. */
const plainKinds: ReadonlySet<string> = new Set(['string', 'enum', 'integer', 'boolean']);

function kindAt(schema: Schema, path: readonly string[]): string | undefined {
  const kind = schemaAt(schema, path)?.kind;
  return kind !== undefined && plainKinds.has(kind) ? kind.replace('enum', 'string') : undefined;
}

function checkSource(
  at: readonly string[],
  source: LookupSource,
  target: Schema | undefined,
  input: ObjectSchema,
  fault: (text: string) => void,
): void {
  const place = at.join('.');
  const kind = target && kindAt(target, []);
  if (kind === undefined) {
    fault(`${place} is no text, whole number or boolean of the contract.`);
    return;
  }
  if (source === 'key' || 'value' in source) {
    const given = source === 'key' ? 'string' : typeof source.value;
    if (given !== kind) fault(`${place} has kind ${kind}, and what is given kind ${given}.`);
    return;
  }
  const from = source.path.join('.');
  const ofSource = kindAt(input, source.path);
  if (ofSource === undefined) fault(`${place} is ${from}, which is no text, whole number or boolean of the request.`);
  else if (ofSource !== kind) fault(`${place} has kind ${kind}, and ${from} kind ${ofSource}.`);
}

/** Members that both have by the same name, of the same kind. */
function sameMembers(found: ObjectSchema, output: ObjectSchema): readonly ValueAt<MemberOrConstant>[] {
  return Object.entries(output.fields).flatMap(([name, { schema }]) =>
    Object.hasOwn(found.fields, name) && found.fields[name]?.schema.kind === schema.kind
      ? { at: [name], value: { path: [name] } }
      : [],
  );
}

function checkOutput(
  picked: readonly ValueAt<MemberOrConstant>[],
  found: ObjectSchema,
  output: ObjectSchema,
  fault: (text: string) => void,
): void {
  for (const { at, value } of picked) {
    const target = schemaAt(output, at);
    const place = `.output.${at.join('.')}`;
    if (target === undefined) fault(`${place} is no member of the output.`);
    else if ('value' in value) checkSource(at, value, target, output, (text) => fault(`.output.${text}`));
    else if (
      schemaAt(found, value.path)?.kind !== target.kind &&
      kindAt(found, value.path) !== (kindAt(output, at) ?? '')
    )
      fault(`${place} is ${value.path.join('.')}, and what is found has no such ${target.kind}.`);
  }
  const given = new Set(picked.map(({ at }) => at[0]));
  for (const [name, { required }] of Object.entries(output.fields))
    if (required && !given.has(name)) fault(`.output lacks ${name}, which the operation returns: say where it is.`);
}
