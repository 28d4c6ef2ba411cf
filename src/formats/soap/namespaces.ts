/** The namespaces of a message: declared once, on the element that names the operation (decision 0023). */
import type { ObjectSchema } from '../../contract/schema.ts';
import { namespacesIn, namespacesOf, ownUri, type Service, uriOf } from '../../contract/service.ts';

/**
 * Declares the namespaces of a message. The service's own one is the default, and has a prefix for the elements that callers
 * know with it.
 */
export function declarations(service: Service, schema: ObjectSchema): string {
  const own = ownUri(service);
  const used = new Set(namespacesIn(schema));
  const others = othersOf(service)
    .filter((name) => used.has(name))
    .map((name) => ` xmlns:${prefixIn(service, name)}="${uriOf(service, name)}"`);
  return ` xmlns:ns1="${own}" xmlns="${own}"${others.join('')}`;
}

/** The name of an element in a namespace: without a prefix in the own one. */
export function qualify(service: Service, namespace: string | undefined, name: string): string {
  if (namespace === undefined || namespace === namespacesOf(service).own) return name;
  return `${prefixIn(service, namespace)}:${name}`;
}

/** `ns2` for the first of the other namespaces, in every message of the service. */
function prefixIn(service: Service, namespace: string): string {
  return `ns${othersOf(service).indexOf(namespace) + 2}`;
}

function othersOf(service: Service): readonly string[] {
  const { own, uris } = namespacesOf(service);
  return Object.keys(uris).filter((name) => name !== own);
}
