/** Members of an answer that the contract does not have: collects them, and merges them into another JSON answer. */
import { type Extras, extrasMember, type Path, type Schema, type UnknownMembers } from '../../contract/index.ts';
import { isExactMembers, parseExactly } from '../../lib/index.ts';
import type { Reply } from '../protocol.ts';
import { jsonPath } from './names.ts';
import { plainValue } from './places.ts';
import { exact } from './value-text.ts';

type Members = Record<string, unknown>;

/** The answer as the other server has sent it, for callers to whom it is passed on. */
export class SentAnswer {
  readonly reply: Reply;

  constructor(reply: Reply) {
    this.reply = reply;
  }
}

/** The text of a node: that of a string as it is, and else JSON. */
export function textOf(node: unknown): string {
  const value = plainValue(node);
  return typeof value === 'string' ? value : JSON.stringify(exact(value));
}

/** The members in JSON, with the members of the contract around them. Numbers keep their digits. */
export function treeText(unknown: readonly UnknownMembers[], output: Schema): string {
  let extras: unknown;
  for (const { path, nodes } of unknown) {
    // A key that is no name is shown as another one.
    if (path.includes('?')) continue;
    const members = createMembers();
    for (const [name, [node]] of nodes) members[name] = exact(plainValue(node));
    extras = place(extras, keysOf(jsonPath(path, output)), members);
  }
  return JSON.stringify(extras ?? {});
}

/** Returns the JSON text of an object with further members. A member that is there already keeps its value. */
export function mergeExtras(body: string, { members, json }: Extras): string {
  const tree = json === undefined ? { [extrasMember]: members } : parseExactly(json);
  return JSON.stringify(merge(parseExactly(body), tree));
}

type Key = string | number;

/** The keys of JSON: an item of a wrapped list has its own name, too. */
function keysOf(path: Path): readonly Key[] {
  return path.flatMap((step): readonly Key[] => {
    if (typeof step === 'string') return [step];
    return step.wrapped ? [step.index, step.itemName] : [step.index];
  });
}

/** Adds members at a place of the tree, and returns the tree. */
function place(tree: unknown, [key, ...rest]: readonly Key[], members: Members): unknown {
  if (key === undefined) return isExactMembers(tree) ? Object.assign(tree, members) : members;
  if (typeof key === 'number') {
    const items: unknown[] = Array.isArray(tree) ? tree : [];
    items[key] = place(items[key], rest, members);
    return items;
  }
  const object = isExactMembers(tree) ? tree : createMembers();
  object[key] = place(object[key], rest, members);
  return object;
}

function merge(value: unknown, extra: unknown): unknown {
  if (value === undefined) return extra;
  // A list that does not fit is printed as an empty one.
  if (Array.isArray(value) && value.length === 0) return extra ?? value;
  if (Array.isArray(value)) return Array.isArray(extra) ? value.map((item, at) => merge(item, extra[at])) : value;
  if (!isExactMembers(value) || !isExactMembers(extra)) return value;
  const merged = Object.assign(createMembers(), value);
  for (const [name, each] of Object.entries(extra)) merged[name] = merge(merged[name], each);
  return merged;
}

/** Without a prototype, `__proto__` is a name like any other. */
function createMembers(): Members {
  return Object.create(null) as Members;
}
