/** Answers the operations of a resource from its state. */
import {
  type Field,
  type ObjectSchema,
  type Operation,
  Problem,
  type ProblemKind,
  parser,
  refusalOfUpstream,
  type ScalarSchema,
  type Schema,
  type Service,
} from '../../../core/contract/index.ts';
import { isMembers, type Members, valueAt } from '../../../core/lib/index.ts';
import { exampleOf } from '../../../documents/index.ts';
import { type BoundHandler, type ReadTransaction, Transaction } from '../../../stores/index.ts';
import { exampleProblem, problemLike } from '../declared-problems.ts';
import { convertValue } from './convert-value.ts';
import {
  fieldsOf,
  isObjectList,
  isScalar,
  listsIn,
  membersAt,
  normalize,
  objectsIn,
  type PlacedObject,
  scalarIn,
  scalarsIn,
} from './members.ts';
import type { Resource, ResourceAction, ResourceId } from './resources.ts';
import { type StoredResource, StoredResources } from './stored-resources.ts';

/** The handler of an operation of a resource. */
export function resourceHandler(service: Service, operation: Operation, resource: Resource): BoundHandler {
  const action = resource.actions.get(operation.name)!;
  const answer = compileAnswer(operation.output, resource, action);
  const execute = compileAction(operation, resource, action);
  return {
    kind: 'plain',
    async handle({ input }, tx) {
      return answer(await execute(input, new StoredResources(tx, service.name, resource.name), tx));
    },
  };
}

/** What a mock begins with: the example, under each id that the examples of messages have. */
export function firstResources({ operations }: Service, resource: Resource): readonly StoredResource[] {
  const { ids, schema, actions } = resource;
  const ofOne = [...actions].filter(([, action]) => action !== 'create' && action !== 'list');
  const messages = [schema, ...ofOne.map(([name]) => operations.get(name)!.input)];
  const found = messages.flatMap((message) => {
    const example = exampleOf(message, 'full');
    const id = ids.map(({ matches }) => valueAt(example, scalarIn(message, matches)?.path ?? ['']));
    return id.includes(undefined) ? [] : [JSON.stringify(id.map(String))];
  });
  return [...new Set(found)].map((text) => {
    const id = JSON.parse(text) as readonly string[];
    return { id, content: withId(resource, id) };
  });
}

/** What an operation answers with: one resource, or a list. */
type Found = StoredResource | readonly StoredResource[];

type Execute = (input: unknown, stored: StoredResources, tx: ReadTransaction) => Promise<Found>;

function compileAction(operation: Operation, resource: Resource, action: ResourceAction): Execute {
  const { input, http, upstream } = operation;
  const isReplaced = (http ?? upstream)?.method === 'PUT';
  const places = resource.ids.map((id) => scalarIn(input, id.matches)?.path);
  const change = compileChange(input, resource);
  const idIn = (request: unknown): readonly string[] =>
    places.map((path) => String((path && valueAt(request, path)) ?? ''));
  const require = async (request: unknown, stored: StoredResources): Promise<StoredResource> => {
    const id = idIn(request);
    const content = await stored.find(id);
    if (content !== undefined && content !== 'deleted') return { id, content };
    if (content === undefined && !isCreated(resource)) return { id, content: withId(resource, id) };
    throw notFound(operation, resource, id);
  };
  switch (action) {
    case 'create':
      return async (request, stored, tx) => {
        const id = await newId(resource, idIn(request), stored);
        const found = await stored.find(id);
        const refusal = problemLike(operation, exists, 409);
        if (found !== undefined && found !== 'deleted' && refusal !== undefined)
          throw exampleProblem(operation, refusal, (detail) => withId({ schema: detail, ids: resource.ids }, id));
        const created = { id, content: change(request, withId(resource, id), true) };
        await stored.save(writing(tx), id, created.content);
        return created;
      };
    case 'read':
      return require;
    case 'update':
      return async (request, stored, tx) => {
        const { id, content } = await require(request, stored);
        const changed = { id, content: change(request, content, isReplaced) };
        await stored.save(writing(tx), id, changed.content);
        return changed;
      };
    case 'delete':
      return async (request, stored, tx) => {
        const found = await require(request, stored);
        await stored.save(writing(tx), found.id, undefined);
        return found;
      };
    case 'list': {
      const isAskedFor = compileFilter(input, resource);
      return async (request, stored) => (await stored.list()).filter(({ content }) => isAskedFor(request, content));
    }
    default:
      return action satisfies never;
  }
}

/** Whether callers can create one. Then an id that none of them has created is unknown. */
export function isCreated({ actions }: Resource): boolean {
  return [...actions.values()].includes('create');
}

function writing(tx: ReadTransaction): Transaction {
  if (tx instanceof Transaction) return tx;
  throw new TypeError('a reading operation changes no resource');
}

const missing = /not.?found|unknown|no.?such|not.?exist|missing/i;
const exists = /exist|duplicate|conflict|already/i;

function notFound(operation: Operation, { name, ids }: Resource, id: readonly string[]): Problem {
  const declared = problemLike(operation, missing, 404);
  if (declared !== undefined)
    return exampleProblem(operation, declared, (detail) => withId({ schema: detail, ids }, id));
  return new Problem(undeclaredNotFound, `${name} ${id.join(', ')} not found`);
}

/** For operations whose contract declares none. */
const undeclaredNotFound: ProblemKind = refusalOfUpstream({ status: 404, code: '404', type: 'validation' });

/** The example, with these values of its ids. */
function withId(resource: Pick<Resource, 'schema' | 'ids'>, id: readonly string[]): Members {
  const content = exampleOf(resource.schema, 'full') as Members;
  const values = resource.ids.flatMap((each, at) => {
    const field = fieldOf(each, resource.schema);
    const value = field && textAs(id[at] ?? '', field[1].schema);
    return field === undefined || value === undefined ? [] : [[field[0], value] as const];
  });
  return { ...content, ...Object.fromEntries(values) };
}

function fieldOf({ matches }: ResourceId, schema: ObjectSchema): readonly [string, Field] | undefined {
  return fieldsOf(schema).find(([name, field]) => isScalar(field.schema) && matches(name));
}

function textAs(text: string, schema: Schema): unknown {
  if (!isScalar(schema)) return undefined;
  const parsed = parser(schema)(text);
  return 'value' in parsed ? parsed.value : undefined;
}

/** The id of the request; where its last part is absent, the next number in the form of the example. */
async function newId(
  resource: Resource,
  given: readonly string[],
  stored: StoredResources,
): Promise<readonly string[]> {
  if (given.at(-1) !== '') return given;
  const { schema } = resource.ids.at(-1)!;
  const first = await stored.nextPosition();
  for (let number = first; number < first + triesMax; number++) {
    const id = [...given.slice(0, -1), numbered(schema, number)];
    if ((await stored.find(id)) === undefined) return id;
  }
  throw new Problem('internal', 'the mock has found no free id');
}

const triesMax = 1_000;

/** `A-1001` becomes `A-0002`, `text` becomes `text-2`. Falls back to the example where the schema leaves no room. */
function numbered(schema: ScalarSchema, number: number): string {
  const example = String(exampleOf(schema, 'full'));
  const inPlace = example.replace(/\d+$/, (digits) => String(number).padStart(digits.length, '0'));
  const texts =
    schema.kind === 'string' ? [inPlace, `${example}-${number}`, String(number)] : [String(number), inPlace];
  const isFree = (text: string) => text !== example && 'value' in parser(schema)(text);
  return texts.find(isFree) ?? example;
}

/** `isWhole`: the request has all members that it may send. */
type Change = (request: unknown, content: Members, isWhole: boolean) => Members;

/** Takes over the members of a request. */
function compileChange(input: ObjectSchema, { schema, ids }: Resource): Change {
  const isId = (name: string) => ids.some(({ matches }) => matches(name));
  const holder = holderIn(objectsIn(input), { schema, ids });
  if (holder === undefined) return (_, content) => content;
  const sources = new Map(fieldsOf(holder.schema).map((each) => [normalize(each[0]), each]));
  return (request, content, isWhole) => {
    const given = membersAt(request, holder.path);
    const changed: Record<string, unknown> = { ...content };
    for (const [name, field] of fieldsOf(schema)) {
      const source = sources.get(normalize(name));
      if (source === undefined || isId(name)) continue;
      const value = convertValue(given[source[0]], source[1].schema, field.schema);
      if (value !== undefined) changed[name] = value;
      else if (isWhole && !field.required) delete changed[name];
    }
    return changed;
  };
}

type Filter = (request: unknown, content: Members) => boolean;

/** Scalars of the request that a resource has, too, choose those that are equal in them. */
function compileFilter(input: ObjectSchema, { schema }: Resource): Filter {
  const filters = fieldsOf(schema).flatMap(([name, field]) => {
    const asked = isScalar(field.schema) ? scalarIn(input, (each) => normalize(each) === normalize(name)) : undefined;
    return asked === undefined ? [] : [{ name, field, asked }];
  });
  return (request, content) =>
    filters.every(({ name, field, asked }) => {
      const value = convertValue(valueAt(request, asked.path), asked.schema, field.schema);
      return value === undefined || value === content[name];
    });
}

type Answer = (found: Found) => Members;

/** Fills the example of an answer with what was found. */
function compileAnswer(output: ObjectSchema, resource: Resource, action: ResourceAction): Answer {
  const example = exampleOf(output, 'full') as Members;
  const holder = action === 'list' ? undefined : holderIn(objectsIn(output), resource)?.schema;
  const items = listsIn(output).map(({ item }) => ({ path: [], schema: item }));
  const item = action === 'list' ? holderIn(items, resource)?.schema : undefined;
  const scalars = scalarsIn(output);
  const [only] = scalars.length === 1 && action === 'create' ? scalars : [];

  const fill = (schema: ObjectSchema, shown: Members, found: Found): Members => {
    if ('content' in found && schema === holder) return showOne(schema, shown, found);
    return Object.fromEntries(
      Object.entries<Field>(schema.fields).flatMap(([name, field]) => {
        const value = shown[name];
        if (value === undefined) return [];
        const filled = fillField(field.schema, value, found);
        return filled === undefined ? [] : [[name, filled] as const];
      }),
    );
  };
  const fillField = (schema: Schema, value: unknown, found: Found): unknown => {
    if (schema.kind === 'object' && isMembers(value)) return fill(schema, value, found);
    if (!('content' in found) && isObjectList(schema) && schema.item === item) {
      const shown = exampleOf(item, 'full') as Members;
      const all = found.slice(0, schema.max).map((each) => showOne(item, shown, each));
      return all.length === 0 ? undefined : all;
    }
    // An answer with one value, which is no `true`, says what was created.
    if ('content' in found && schema === only?.schema && schema.kind !== 'boolean')
      return textAs(found.id.at(-1) ?? '', schema) ?? value;
    return value;
  };
  const showOne = (schema: ObjectSchema, shown: Members, { id, content }: StoredResource): Members =>
    Object.fromEntries(
      fieldsOf(schema).flatMap(([name, field]) => {
        const source = fieldsOf(resource.schema).find((each) => normalize(each[0]) === normalize(name));
        const at = resource.ids.findIndex(({ matches }) => matches(name));
        const isId = at !== -1 && isScalar(field.schema);
        const value = isId
          ? textAs(id[at] ?? '', field.schema)
          : source && convertValue(content[source[0]], source[1].schema, field.schema);
        // What the resource has and this one lacks is absent. Nothing is known of other members.
        const isUnknown = !isId && source === undefined;
        const filled = value ?? (isUnknown || field.required ? shown[name] : undefined);
        return filled === undefined ? [] : [[name, filled] as const];
      }),
    );
  return (found) => fill(output, example, found);
}

/** The object that has most members of the resource, the outer one of two. */
function holderIn(
  objects: readonly PlacedObject[],
  { schema, ids }: Pick<Resource, 'schema' | 'ids'>,
): PlacedObject | undefined {
  const names = new Set(fieldsOf(schema).map(([name]) => normalize(name)));
  const isShared = (name: string) => names.has(normalize(name)) || ids.some(({ matches }) => matches(name));
  const rated = objects
    .map((object) => ({ object, count: fieldsOf(object.schema).filter(([name]) => isShared(name)).length }))
    .filter(({ count }) => count > 0);
  return rated.toSorted((a, b) => b.count - a.count)[0]?.object;
}
