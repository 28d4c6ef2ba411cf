/** Finds where a member of the contract is in a JSON body. */
import { printableName } from '../../contract/member-names.ts';
import type { Path } from '../../contract/path.ts';
import type { Field, Schema } from '../../contract/schema.ts';
import type { Range } from '../../lib/xml/outline.ts';
import { outlineJson, type ValuePlace } from './json-outline.ts';
import { type FoundPlace, foundOrMissing } from './place.ts';

/** A value, and the name of its member, where it has one. */
interface At {
  readonly value: ValuePlace;
  readonly key: Range | undefined;
}

/** `start`: where the body starts in the text. */
export function locateInJson(text: string, start: number): (path: Path, schema: Schema) => FoundPlace | undefined {
  const body = text.slice(start);
  const root = outlineJson(body);
  return (path, schema) => {
    if (root === undefined) return undefined;
    let here: At = { value: root, key: undefined };
    let part: Schema | undefined = schema;
    for (const step of path) {
      const next: Step | undefined = typeof step === 'string' ? member(here, step, part) : item(here, step.index, part);
      if (next === undefined) return foundOrMissing(rangeOf(here), start, true);
      here = next.at;
      part = next.schema;
    }
    return foundOrMissing(rangeOf(here), start, false, here.key);
  };
}

interface Step {
  readonly at: At;
  readonly schema: Schema | undefined;
}

function member({ value }: At, step: string, schema: Schema | undefined): Step | undefined {
  const field: Field | undefined =
    schema?.kind === 'object' && Object.hasOwn(schema.fields, step) ? schema.fields[step] : undefined;
  const name = field?.json ?? step;
  const { members = [] } = value;
  const found = members.find((each) => each.name === name) ?? members.find((each) => printableName(each.name) === name);
  const below = field?.schema ?? (schema?.kind === 'map' ? schema.item : undefined);
  return found && { at: { value: found.value, key: found.key }, schema: below };
}

function item({ value }: At, index: number, schema: Schema | undefined): Step | undefined {
  const list = schema?.kind === 'list' && !schema.joined ? schema : undefined;
  const found = value.items?.[index];
  if (found === undefined) return undefined;
  const inner = list?.wrapped ? found.members?.find(({ name }) => name === list.itemName) : undefined;
  const at: At = inner === undefined ? { value: found, key: undefined } : { value: inner.value, key: inner.key };
  return { at, schema: list?.item };
}

/** An object or an array by its name, or by its bracket. */
function rangeOf({ value, key }: At): Range {
  if (value.members === undefined && value.items === undefined) return value;
  return key ?? { start: value.start, end: value.start + 1 };
}
