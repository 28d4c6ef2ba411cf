/** SOAP's answers to the reading walk: children in any order, by local name in any namespace of the interface. */
import { namespaceUris } from '../../contract/namespaces.ts';
import type { Reader } from '../../contract/read.ts';
import type { ScalarSchema } from '../../contract/schema.ts';
import type { Element } from '../../xml/element.ts';
import { isBlank, isNil, typeName } from './envelope.ts';

/** Older callers put `contract` in one namespace of the interface, newer ones in another; both are meant. */
const known: ReadonlySet<string> = new Set(Object.values(namespaceUris));

const anyText = ['string', 'anyType', 'anySimpleType', 'token', 'normalizedString'];

const typeNames: Readonly<Record<ScalarSchema['kind'], ReadonlySet<string>>> = {
  string: new Set(anyText),
  integer: new Set([...anyText, 'integer', 'long', 'int', 'short']),
  boolean: new Set([...anyText, 'boolean']),
  dateTime: new Set([...anyText, 'dateTime']),
  enum: new Set(anyText),
};

const mapNames: ReadonlySet<string> = new Set(['anyType2anyTypeMap', 'Map', 'anyType']);

const child = (element: Element, local: string): Element | undefined | false => {
  let found: Element | undefined;
  for (const each of element.children)
    if (each.local === local) {
      if (found !== undefined) return false;
      found = each;
    }
  return found;
};

const missing: Element = Object.freeze({ namespace: '', local: 'value', attributes: [], children: [], text: '' });

export const reader: Reader<Element> = Object.freeze({
  isAbsent: isNil,

  text(element, shape) {
    if (element.children.length > 0) return undefined;
    const named = typeName(element);
    if (named === undefined || typeNames[shape.kind].has(named)) return element.text;
    return shape.kind === 'enum' && named === shape.name ? element.text : undefined;
  },

  eachMember(element, visit, shape) {
    const named = typeName(element);
    if (!isBlank(element.text) || (named !== undefined && named !== shape.name && named !== 'anyType')) return false;
    for (const each of element.children) visit(known.has(each.namespace) ? each.local : `{?}${each.local}`, each);
    return true;
  },

  items(element, shape) {
    if (!isBlank(element.text)) return undefined;
    const all = element.children.every((each) => each.local === shape.itemName && known.has(each.namespace));
    return all ? element.children : undefined;
  },

  eachEntry(element, visit) {
    const named = typeName(element);
    if (!isBlank(element.text) || (named !== undefined && !mapNames.has(named))) return false;
    for (const entry of element.children) {
      const key = child(entry, 'key');
      const value = child(entry, 'value');
      const parts = (key ? 1 : 0) + (value ? 1 : 0);
      if (entry.local !== 'entry' || !key || value === false || parts !== entry.children.length) return false;
      if (key.children.length > 0 || !isBlank(entry.text)) return false;
      visit(key.text, value ?? missing);
    }
    return true;
  },
} satisfies Reader<Element>);
