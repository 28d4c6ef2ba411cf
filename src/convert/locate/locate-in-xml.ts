/** Finds where a member of the contract is in a SOAP message. */
import { attributeMark, foreignMark, printableName } from '../../contract/member-names.ts';
import type { ItemStep, Path } from '../../contract/path.ts';
import { isRepeated } from '../../contract/record-types.ts';
import type { Field, Schema } from '../../contract/schema.ts';
import { type ElementPlace, outlineOf, type Range } from '../../lib/xml/outline.ts';
import { type FoundPlace, foundOrMissing } from './place.ts';

/** `part`: the element that holds the fields, where the element of the operation does not. */
export function locateInXml(
  text: string,
  start: number,
  part: string | undefined,
): (path: Path, schema: Schema) => FoundPlace | undefined {
  const xml = text.slice(start);
  const envelope = outlineOf(xml);
  const message = envelope && messageIn(envelope, xml);
  const resolve = envelope && compileReferences(envelope, xml);
  return (path, schema) => {
    if (message === undefined || resolve === undefined) return undefined;
    const inner = part === undefined ? message : message.children.find(({ local }) => local === part);
    const { range, isMissing, name } = search(resolve(inner ?? message), path, schema, { xml, resolve });
    return foundOrMissing(range, start, isMissing, name);
  };
}

interface Document {
  readonly xml: string;
  /** The element to which another one refers; the element itself without a reference. */
  readonly resolve: (element: ElementPlace) => ElementPlace;
}

interface Found {
  readonly range: Range;
  readonly isMissing: boolean;
  readonly name?: Range;
}

function search(root: ElementPlace, path: Path, schema: Schema, document: Document): Found {
  const { resolve } = document;
  let element = root;
  let part: Schema | undefined = schema;
  for (const [at, step] of path.entries()) {
    let next: ElementPlace | undefined;
    if (typeof step !== 'string') {
      next = itemOf(element, step, part);
      part = part?.kind === 'list' ? part.item : undefined;
    } else if (part?.kind === 'map') {
      next = entryOf(element, step, document);
      part = part.item;
    } else {
      const field: Field | undefined =
        part?.kind === 'object' && Object.hasOwn(part.fields, step) ? part.fields[step] : undefined;
      const found = placeOfAttribute(element, step, field);
      if (found !== undefined) return { range: found, isMissing: false };
      if (field?.xml === 'text') return { range: rangeOf(element), isMissing: false, name: element.tag };
      part = field?.schema;
      // Its items are children of this element.
      if (part !== undefined && isRepeated(part) && typeof path[at + 1] === 'object') continue;
      next = childOf(element, step);
    }
    if (next === undefined) return { range: element.tag, isMissing: true };
    element = resolve(next);
  }
  return { range: rangeOf(element), isMissing: false, name: element.tag };
}

/** Text by its content; an element with others inside, or with nothing, by its start tag. */
function rangeOf({ tag, content, children }: ElementPlace): Range {
  return children.length > 0 || content.start === content.end ? tag : content;
}

function placeOfAttribute({ attributes }: ElementPlace, step: string, field: Field | undefined): Range | undefined {
  if (field !== undefined) return field.xml === 'attribute' ? attributes.get(step) : undefined;
  return step.startsWith(attributeMark) ? attributes.get(step.slice(attributeMark.length)) : undefined;
}

function childOf({ children }: ElementPlace, step: string): ElementPlace | undefined {
  const name = step.startsWith(foreignMark) ? step.slice(foreignMark.length) : step;
  return children.find(({ local }) => local === name) ?? children.find(({ local }) => printableName(local) === name);
}

/** Items of a repeated list have the name of the field, those of others any name. */
function itemOf(
  { children }: ElementPlace,
  { index, itemName }: ItemStep,
  schema: Schema | undefined,
): ElementPlace | undefined {
  const isMember = schema !== undefined && isRepeated(schema);
  const items = isMember
    ? children.filter(({ local, attributes }) => local === itemName && !attributes.has('nil'))
    : children;
  return items[index];
}

function entryOf({ children }: ElementPlace, key: string, { xml, resolve }: Document): ElementPlace | undefined {
  for (const entry of children.map(resolve)) {
    const named = entry.children.find(({ local }) => local === 'key');
    const text = named === undefined ? '' : decodedText(xml, resolve(named).content);
    if (named !== undefined && (text === key || printableName(text) === key))
      return entry.children.find(({ local }) => local === 'value') ?? entry;
  }
  return undefined;
}

/** The only child of the Body, or the one without an id beside elements that it refers to. */
function messageIn(envelope: ElementPlace, xml: string): ElementPlace | undefined {
  const [...bodies] = envelope.children.filter(({ local }) => local === 'Body');
  const content = bodies.at(-1)?.children ?? [];
  return content.find((each) => idOf(each, xml) === undefined) ?? content[0];
}

/** References of encoded messages: an element has the content of another one, whose `id` it names. */
function compileReferences(envelope: ElementPlace, xml: string): Document['resolve'] {
  if (!/\bid\s*=/.test(xml)) return (element) => element;
  const byId = new Map<string, ElementPlace>();
  const collect = (element: ElementPlace): void => {
    const id = idOf(element, xml);
    if (id !== undefined) byId.set(id, element);
    element.children.forEach(collect);
  };
  collect(envelope);
  return (element) => {
    let found = element;
    for (let steps = 0; steps < 10; steps++) {
      const [range] = ['href', 'ref'].flatMap((name) => found.attributes.get(name) ?? []);
      const target = range && byId.get(xml.slice(range.start, range.end).replace(/^#/, ''));
      if (target === undefined) return found;
      found = target;
    }
    return found;
  };
}

function idOf({ attributes }: ElementPlace, xml: string): string | undefined {
  const range = attributes.get('id');
  return range && xml.slice(range.start, range.end);
}

/** The text of an element, for keys of maps: with the five entities and character references of XML. */
export function decodedText(xml: string, { start, end }: Range): string {
  return xml
    .slice(start, end)
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/<!\[CDATA\[([\s\S]*?)\]\]>|&(?:#(\d+)|#x([\da-fA-F]+)|(\w+));/g, (_, cdata, digits, hex, name) => {
      if (cdata !== undefined) return cdata;
      if (name !== undefined) return entities[name] ?? '';
      return String.fromCodePoint(Math.min(digits === undefined ? Number.parseInt(hex, 16) : Number(digits), 0x10ffff));
    });
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
