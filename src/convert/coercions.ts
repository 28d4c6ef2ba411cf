/** Finds what reading changes: compares the tokens of a message with the canonical values that were read from them. */

import {
  anyText,
  type CompileRead,
  callWhole,
  compileRead,
  foreignName,
  isName,
  type ListSchema,
  type Member,
  maskSensitive,
  type ObjectSchema,
  type Path,
  printableName,
  type Reader,
  type ScalarSchema,
  type Schema,
  variantChooser,
  walk,
} from '../core/contract/index.ts';
import { compileMemberVisit } from '../core/formats/index.ts';
import { type Change, scalarChanges } from './scalar-changes.ts';

/** What was changed at one place. */
export interface FoundCoercion {
  readonly path: Path;
  readonly changes: readonly Change[];
  /** As the message has it: text in quotes, or a number. Sensitive texts are masked. Absent where it is no scalar. */
  readonly from?: string;
  /** The canonical value as JSON; absent where the member is absent. */
  readonly to?: string;
}

type Report = (coercion: FoundCoercion) => void;
type Compare<N> = (node: N, value: unknown, path: Path, report: Report) => void;

/** Reads as protocols do, and records the coercions. The reading itself is the usual one. */
export class CoercionRecorder {
  #found: FoundCoercion[] = [];

  readonly compileRead: CompileRead = (schema, reader, sender) => {
    const read = compileRead(schema, reader, sender);
    // Answers of other servers are read again, as strictly as requests.
    if (sender === 'server') return read;
    const compare = compileComparison(schema, reader);
    return (node, collector) => {
      const value = read(node, collector);
      compare(node, value, [], (coercion) => this.#found.push(coercion));
      return value;
    };
  };

  /** Returns the coercions since the last call, in the order of the message. */
  take(): readonly FoundCoercion[] {
    const found = this.#found;
    this.#found = [];
    return found;
  }
}

/** For values that were read without a Problem. Members with issues are no coercions. */
function compileComparison<N>(schema: Schema, reader: Reader<N>): Compare<N> {
  const compare = walk<Compare<N>>(schema, {
    scalar: (scalar) => compareScalar(scalar, reader),
    joined: () => compareJoined(reader),
    list: (list, item) => compareList(list, item, reader),
    map: (_, item) => compareMap(item ?? compareScalar(anyText, reader), reader),
    object: (object, members) => compareObject(object, members, reader),
    variants: (schema, own, others) => {
      const compareOf = variantChooser(schema, own, others);
      return (node, value, path, report) => compareOf(value ?? {})(node, value, path, report);
    },
    self: callWhole,
  });
  // An empty message is an empty object.
  return (node, value, path, report) => compare(node, value ?? {}, path, report);
}

function compareScalar<N>(schema: ScalarSchema, reader: Reader<N>): Compare<N> {
  return (node, value, path, report) => {
    if (reader.isAbsent(node)) return report({ path, changes: ['nil'] });
    const text = reader.text(node, schema);
    if (value === undefined) return text === '' ? report({ path, changes: ['emptyText'], from: '""' }) : undefined;
    const token = reader.token(node);
    const changes = scalarChanges(schema, token, value);
    if (changes.length > 0) report({ path, changes, from: shown(schema, token), to: shown(schema, value) });
  };
}

function compareJoined<N>(reader: Reader<N>): Compare<N> {
  return (node, value, path, report) => {
    if (reader.isAbsent(node)) return report({ path, changes: ['nil'] });
    const token = reader.token(node);
    if (typeof token !== 'string') return;
    const from = JSON.stringify(token);
    if (value === undefined) return token.trim() === '' ? report({ path, changes: ['emptyText'], from }) : undefined;
    const text = (value as readonly string[]).join(',');
    if (text === token) return;
    const stripped = token.replace(/\s+/g, '');
    const changes: Change[] = [...(stripped === token ? [] : ['whitespace' as const])];
    if (stripped !== text) changes.push('order');
    report({ path, changes, from, to: JSON.stringify(value) });
  };
}

function compareList<N>(schema: ListSchema, item: Compare<N>, reader: Reader<N>): Compare<N> {
  const { itemName, wrapped } = schema;
  return (node, value, path, report) => {
    if (reader.isAbsent(node)) return report({ path, changes: ['nil'] });
    const items = reader.items(node, schema);
    if (items === undefined) return;
    if (items.length === 0) return report({ path, changes: ['empty'] });
    if (value === undefined) return;
    items.forEach((each, index) => {
      item(each, (value as readonly unknown[])[index], [...path, { index, itemName, wrapped }], report);
    });
  };
}

function compareMap<N>(item: Compare<N>, reader: Reader<N>): Compare<N> {
  return (node, value, path, report) => {
    if (reader.isAbsent(node)) return report({ path, changes: ['nil'] });
    if (value === undefined && reader.isEmpty(node)) return report({ path, changes: ['empty'] });
    const entries = (value ?? {}) as Readonly<Record<string, unknown>>;
    reader.eachEntry(node, (key, each) => item(each, entries[key], [...path, printableName(key)], report));
  };
}

function compareObject<N>(schema: ObjectSchema, members: readonly Member<Compare<N>>[], reader: Reader<N>): Compare<N> {
  const visit = compileMemberVisit(schema, members, reader);
  return (node, value, path, report) => {
    if (reader.isAbsent(node)) return report({ path, changes: ['nil'] });
    if (value === undefined) return reader.isEmpty(node) ? report({ path, changes: ['empty'] }) : undefined;
    const object = value as Readonly<Record<string, unknown>>;
    visit(node, {
      known: ({ name, part }, child) => part(child, object[name], [...path, name], report),
      unknown(name, child) {
        // A coordinate has the name as the caller wrote it.
        const at = [...path, printableName(foreignName(name) || name)];
        // Any other unknown member is an issue.
        if (Object.hasOwn(schema.ignoredMembers, name)) report({ path: at, changes: ['ignoredMember'] });
        else if (isName(name) && reader.isEmpty(child)) report({ path: at, changes: ['emptyUnknownMember'] });
      },
    });
  };
}

function shown(schema: ScalarSchema, value: unknown): string {
  if (typeof value === 'symbol') return value.description ?? '';
  return JSON.stringify(maskSensitive(schema, value));
}
