/** Recognizes the resources of a service: the operations that create, read, update, delete and list one kind of thing. */
import {
  type HttpBinding,
  namesInPath,
  type ObjectSchema,
  type Operation,
  type ScalarSchema,
  type Service,
  type UpstreamBinding,
} from '../../../core/contract/index.ts';
import { checkMembers } from '../invalid-member.ts';
import { fieldsOf, isScalar, listsIn, normalize, objectsIn, scalarIn, scalarsIn } from './members.ts';

export const actions = ['create', 'read', 'update', 'delete', 'list'] as const;
/** What an operation does with a resource. */
export type ResourceAction = (typeof actions)[number];

/** States a resource, where the names of the operations do not tell it. */
export type ResourceRule = Readonly<Partial<Record<ResourceAction, string | readonly string[]>>> & {
  /** The member, or the members, that tell one from the other. */
  readonly id: string | readonly string[];
};

/** A kind of thing whose state a mock keeps. */
export interface Resource {
  readonly name: string;
  /** The members that tell one from the other. */
  readonly ids: readonly ResourceId[];
  /** By the name of the operation. */
  readonly actions: ReadonlyMap<string, ResourceAction>;
  /** What is stored of one: what operations answer with that return it. */
  readonly schema: ObjectSchema;
}

export interface ResourceId {
  /** As the operations name it. */
  readonly name: string;
  readonly schema: ScalarSchema;
  /** Whether a member of this name is the id. */
  matches(name: string): boolean;
}

interface Candidate {
  readonly name: string;
  readonly ids?: readonly string[] | undefined;
  readonly actions: ReadonlyMap<string, ResourceAction>;
}

/** `rules`: by the names of the resources. They take the place of what is recognized. Throws TypeError for a rule that cannot be. */
export function findResources(service: Service, rules?: Readonly<Record<string, ResourceRule>>): readonly Resource[] {
  if (rules !== undefined) return Object.entries(rules).flatMap(([name, rule]) => ruled(service, name, rule) ?? []);
  const operations = [...service.operations.values()];
  const ofPaths = candidatesOf(operations, byPath).filter((each) => complete(service, each) !== undefined);
  const taken = new Set(ofPaths.flatMap((each) => [...each.actions.keys()]));
  const ofNames = candidatesOf(
    operations.filter(({ name }) => !taken.has(name)),
    byName,
  );
  // `GET /pets/findByStatus` is beside `GET /pets/{petId}`.
  const joined = ofPaths.map((each) => {
    const same = ofNames.find(({ name }) => normalize(name) === normalize(each.name));
    return same === undefined ? each : { ...each, actions: new Map([...each.actions, ...same.actions]) };
  });
  const names = new Set(joined.map(({ name }) => normalize(name)));
  const others = ofNames.filter(({ name }) => !names.has(normalize(name)));
  return [...joined, ...others].flatMap((each) => complete(service, each) ?? []);
}

/** Undefined for a rule whose operations are those of another service. */
function ruled(service: Service, name: string, rule: ResourceRule): Resource | undefined {
  checkMembers(rule, [...actions, 'id']);
  if (rule.id === undefined) throw new TypeError(`${name}: id is missing`);
  const named = actions.flatMap((action) => [rule[action] ?? []].flat().map((each) => [each, action] as const));
  if (!named.some(([operation]) => service.operations.has(operation))) return undefined;
  const unknown = named.find(([operation]) => !service.operations.has(operation));
  if (unknown !== undefined) throw new TypeError(`${name}: ${service.name} has no operation ${unknown[0]}`);
  const found = complete(service, { name, ids: [rule.id].flat(), actions: new Map(named) });
  if (found?.actions.size !== named.length)
    throw new TypeError(`${name}: needs an operation that returns it, one that changes it, and its id in a message`);
  return found;
}

/** What the name or the path of an operation says of it. */
interface Guess {
  /** Operations with the same key are of one resource. */
  readonly key: string;
  readonly name: string;
  readonly ids?: readonly string[];
  readonly action: ResourceAction;
}

function candidatesOf(
  operations: readonly Operation[],
  guess: (operation: Operation) => Guess | undefined,
): readonly Candidate[] {
  const guesses = operations.flatMap((operation) => {
    const guessed = guess(operation);
    return guessed === undefined ? [] : [{ ...guessed, operation: operation.name }];
  });
  return [...Map.groupBy(guesses, ({ key }) => key).values()].map((group) => {
    const ids = group.find((each) => each.ids !== undefined)?.ids;
    return {
      name: group[0]!.name,
      ...(ids && { ids }),
      actions: new Map(group.map(({ operation, action }) => [operation, action])),
    };
  });
}

/** Without an id, or without an operation that returns it and one that changes it, nothing of a resource can be seen. */
function complete({ operations }: Pick<Service, 'operations'>, candidate: Candidate): Resource | undefined {
  const all = [...candidate.actions].map(([name, action]) => ({ operation: operations.get(name)!, action }));
  const changing = all.filter(({ action }) => action === 'create' || action === 'update' || action === 'delete');
  const usable = changing.every(({ operation }) => operation.effect === 'writes');
  const returning = all.filter(({ action }) => action === 'read' || action === 'list');
  if (changing.length === 0 || returning.length === 0 || !usable) return undefined;
  const byId = all.filter(({ action }) => action !== 'create' && action !== 'list').map(({ operation }) => operation);
  const names = candidate.ids ?? idOf(byId, candidate.name);
  const ids = names?.map((name) => resourceId(name, candidate.name, all));
  if (ids === undefined || ids.length === 0 || !ids.every((id) => id !== undefined)) return undefined;
  const { matches } = ids.at(-1)!;
  const namesOne = ({ operation: { input }, action }: Use) =>
    action === 'create' || action === 'list' || scalarIn(input, matches) !== undefined;
  // A request that does not name one is of something else.
  const named = all.filter(namesOne).map(({ operation: { name }, action }) => [name, action] as const);
  if (named.length < all.length) return complete({ operations }, { ...candidate, ids: names, actions: new Map(named) });
  const schema = schemaOf(returning, matches);
  return schema && { name: candidate.name, ids, actions: candidate.actions, schema };
}

interface Use {
  readonly operation: Operation;
  readonly action: ResourceAction;
}

/** Where one operation says `id`, another may say `orderId`. */
function resourceId(name: string, resource: string, uses: readonly Use[]): ResourceId | undefined {
  const noun = normalize(resource);
  const own = normalize(name);
  const names = new Set(own === 'id' || own === `${noun}id` ? ['id', `${noun}id`] : [own]);
  const matches = (each: string) => names.has(normalize(each));
  const messages = uses.flatMap(({ operation: { input, output } }) => [input, output]);
  const schema = messages.map((each) => scalarIn(each, matches)?.schema).find((each) => each !== undefined);
  return schema && { name, schema, matches };
}

/** The member of the requests that names one resource: the one whose name says so best. */
function idOf(operations: readonly Operation[], noun: string): readonly string[] | undefined {
  const inputs = operations.map(({ input }) => scalarsIn(input).map(({ name }) => name));
  const rated = inputs
    .flatMap((names) => names.map((name) => ({ name, rating: rate(name, normalize(noun), names.length) })))
    .filter(({ rating }) => rating > 0)
    .toSorted((a, b) => b.rating - a.rating);
  return rated[0] && [rated[0].name];
}

const idEndings = ['id', 'number', 'no', 'nr', 'code', 'key', 'ref', 'reference', 'uuid', 'guid', 'sku', 'name'];

/** `count`: the scalars of the request. A higher rating is better; 0 for no id. */
function rate(name: string, noun: string, count: number): number {
  const own = normalize(name);
  if (own === `${noun}id`) return 5;
  if (own === 'id') return 4;
  if (idEndings.some((ending) => own === noun + ending)) return 3;
  if (count === 1) return 2;
  return idEndings.some((ending) => own.endsWith(ending)) ? 1 : 0;
}

/** The outermost object with the id; without any, what is in the wrappers of the first answer. */
function schemaOf(returning: readonly Use[], isId: (name: string) => boolean): ObjectSchema | undefined {
  const ordered = returning.toSorted((a, b) => Number(a.action === 'list') - Number(b.action === 'list'));
  const answers = ordered.flatMap(({ operation: { output }, action }) =>
    action === 'read' ? objectsIn(output).map(({ schema }) => schema) : (listsIn(output)[0]?.item ?? []),
  );
  const withId = answers.find((each) => fieldsOf(each).some(([name, field]) => isScalar(field.schema) && isId(name)));
  if (withId !== undefined) return withId;
  return answers.find((each) => {
    const [only, ...others] = fieldsOf(each);
    return only !== undefined && (others.length > 0 || only[1].schema.kind !== 'object');
  });
}

const methods: Readonly<
  Record<
    (HttpBinding | UpstreamBinding)['method'],
    readonly [ofOne: ResourceAction | undefined, ofAll: ResourceAction | undefined]
  >
> = {
  GET: ['read', 'list'],
  POST: [undefined, 'create'],
  // The id may be in the body.
  PUT: ['update', 'update'],
  PATCH: ['update', 'update'],
  DELETE: ['delete', undefined],
  HEAD: [undefined, undefined],
  OPTIONS: [undefined, undefined],
};

/** `GET /orders/{id}` reads one of `/orders`. */
function byPath({ http, upstream }: Operation): Guess | undefined {
  const binding = http ?? upstream;
  if (binding === undefined) return undefined;
  const { method, path } = binding;
  const [, collection = '', id] = /^(.*?)(?:\/\{(\w+)\})?$/.exec(path) ?? [];
  const [ofOne, ofAll] = methods[method];
  const action = id === undefined ? ofAll : ofOne;
  const name = collection.split('/').at(-1) ?? '';
  if (action === undefined || name === '' || name.startsWith('{')) return undefined;
  const key = collection.replaceAll(/\{\w+\}/g, '{}');
  return { key, name: singular(name), action, ...(id !== undefined && { ids: namesInPath(path) }) };
}

const verbs: Readonly<Record<ResourceAction, readonly string[]>> = {
  create: ['create', 'add', 'insert', 'new', 'register', 'place', 'submit', 'post', 'save', 'store'],
  read: ['get', 'read', 'retrieve', 'fetch', 'find', 'lookup', 'load', 'show', 'view', 'query', 'inquire', 'describe'],
  update: ['update', 'modify', 'change', 'edit', 'patch', 'replace', 'put', 'amend', 'set'],
  delete: ['delete', 'remove', 'erase', 'destroy', 'drop'],
  list: ['list', 'search', 'browse', 'enumerate'],
};
const actionOfVerb = new Map(actions.flatMap((action) => verbs[action].map((verb) => [verb, action] as const)));
/** Words that say nothing of the noun between them. */
const fillers = new Set(['a', 'an', 'the', 'new', 'one', 'single', 'all', 'existing']);
const endings = new Set([
  'detail',
  'info',
  'information',
  'data',
  'record',
  'request',
  'list',
  'by',
  'entry',
  'entity',
]);

/** `getOrderById`, `GetOrders`, `list_orders`, `OrderCreate` and `catalogProductList` say what they do with what. */
function byName({ name, input, output }: Operation): Guess | undefined {
  const words = name.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+/gu)?.map((word) => word.toLowerCase()) ?? [];
  const by = words.indexOf('by');
  const told = by > 0 ? words.slice(0, by) : words;
  const first = actionOfVerb.get(told[0] ?? '');
  const last = actionOfVerb.get(told.at(-1) ?? '') ?? (told.at(-1) === 'info' ? 'read' : undefined);
  const verb = first ?? last;
  if (verb === undefined) return undefined;
  const rest = (first === undefined ? told.slice(0, -1) : told.slice(1)).filter((word) => !fillers.has(word));
  const isListed = rest.length > 1 && rest.at(-1) === 'list';
  while (rest.length > 1 && endings.has(singular(rest.at(-1)!))) rest.pop();
  const noun = rest.at(-1);
  if (noun === undefined) return undefined;
  const named = [...rest.slice(0, -1), singular(noun)];
  const isPlural = isListed || told.includes('all') || singular(noun) !== noun;
  const [list] = listsIn(output);
  const returnsList = list !== undefined && (isPlural || scalarsIn(input).length === 0);
  const action = (verb === 'read' && returnsList) || (verb === 'list' && list !== undefined) ? 'list' : verb;
  if (verb === 'list' && action === verb && list === undefined) return undefined;
  return { key: named.join(' '), name: camelCase(named), action };
}

function camelCase([first = '', ...others]: readonly string[]): string {
  return first + others.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** By the rules of most English nouns: the same for each word of one spelling is enough. */
function singular(noun: string): string {
  if (/ies$/i.test(noun)) return `${noun.slice(0, -3)}y`;
  if (/(?:ss|x|ch|sh)es$/i.test(noun)) return noun.slice(0, -2);
  return /[^s]s$/i.test(noun) && !/(?:us|is)$/i.test(noun) ? noun.slice(0, -1) : noun;
}
