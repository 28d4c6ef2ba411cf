/** The namespaces of a message: declared once, on the element that names the operation (decision 0023). */

import {
  elementName,
  elementPrefix,
  type HeaderBlock,
  mayHaveAttributes,
  namedOperations,
  namespaceOf,
  namespacesIn,
  namespacesOf,
  type Operation,
  ownUri,
  partsIn,
  type Schema,
  type Service,
  uriOf,
} from '../../contract/index.ts';
import { memoizeWeakly } from '../../lib/index.ts';
import type { PrintedFault } from '../faults.ts';

/**
 * Declares the namespaces of a message. The service's own one is the default, and has a prefix for the elements that callers
 * know with it. `namespaces`: the prefixes that the message uses.
 */
export function declarations(service: Service, namespaces: readonly string[]): string {
  const own = ownUri(service);
  const used = new Set(namespaces);
  const others = othersOf(service)
    .filter((name) => used.has(name))
    .map((name) => ` xmlns:${prefixIn(service, name)}="${uriOf(service, name)}"`);
  const asDefault = hasUnqualified(service) ? '' : ` xmlns="${own}"`;
  return ` xmlns:ns1="${own}"${asDefault}${others.join('')}`;
}

/** The element of a fault around its printed content. */
export function faultElement(service: Service, { element, namespace, detail, text }: PrintedFault): string {
  return elementAroundText(service, { name: element, namespace, schema: detail }, text);
}

/** A global element around its printed content, with the namespaces that it needs. */
export function elementAroundText(
  service: Service,
  { name: element, namespace, schema }: HeaderBlock,
  text: string,
): string {
  const isOwn = namespace === undefined || namespace === namespacesOf(service).own;
  const name = isOwn ? `ns1:${element}` : `${prefixIn(service, namespace)}:${element}`;
  const used = [...namespacesIn(schema), ...(namespace === undefined ? [] : [namespace])];
  const start = `<${name}${declarations(service, used)}${mayHaveAttributes(schema) ? '' : '>'}`;
  return `${start}${text}</${name}>`;
}

/** The name of the element of a message; empty for one whose fields are the elements of the Body. */
export function messageName(service: Service, operation: Operation, side: 'input' | 'output'): string {
  const name = elementName(operation, side);
  const prefix = elementPrefix(operation, side);
  if (name === '' || prefix === '') return name;
  return prefix === undefined || prefix === namespacesOf(service).own
    ? `ns1:${name}`
    : `${prefixIn(service, prefix)}:${name}`;
}

/** The name of an element: without a prefix in no namespace, and in the own one where that is the default. */
export function qualify(service: Service, namespace: string | undefined, name: string): string {
  if (namespace === undefined) return name;
  if (namespace === namespacesOf(service).own) return hasUnqualified(service) ? `ns1:${name}` : name;
  return `${prefixIn(service, namespace)}:${name}`;
}

/** The name of an attribute of a namespace: no default applies to it. */
export function qualifyAttribute(service: Service, namespace: string, name: string): string {
  return `${namespace === namespacesOf(service).own ? 'ns1' : prefixIn(service, namespace)}:${name}`;
}

/** Whether an element of the service has no namespace, so that there is no default one. */
const hasUnqualified = memoizeWeakly((service: Service): boolean => {
  const { unqualified = [] } = namespacesOf(service);
  const operations = namedOperations(service);
  const schemas = operations.flatMap(({ input, output, faults = [] }) => [
    ...[input, output],
    ...faults.map(({ detail }) => detail),
  ]);
  const hasPlainMessage = operations.some(
    (each) => elementPrefix(each, 'input') === '' || elementPrefix(each, 'output') === '',
  );
  return service.soapStyle === 'rpc' || unqualified.length > 0 || hasPlainMessage || schemas.some(namesNoNamespace);
});

function namesNoNamespace(schema: Schema): boolean {
  return partsIn(schema).some(({ schema, field }) => namespaceOf(schema) === '' || field?.namespace === '');
}

/** `ns2` for the first of the other namespaces, in every message of the service. */
function prefixIn(service: Service, namespace: string): string {
  return `ns${othersOf(service).indexOf(namespace) + 2}`;
}

function othersOf(service: Service): readonly string[] {
  const { own, uris } = namespacesOf(service);
  return Object.keys(uris).filter((name) => name !== own);
}
