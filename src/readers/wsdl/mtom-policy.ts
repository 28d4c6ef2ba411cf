/** Reads whether the policies of a port demand MTOM (WS-Policy with WS-MTOMPolicy 1.0 or 1.1). */
import type { LocatedElement } from '../../core/xml/index.ts';
import type { Port } from './definitions.ts';

const policyUris: readonly string[] = [
  'http://schemas.xmlsoap.org/ws/2004/09/policy',
  'http://www.w3.org/2006/07/ws-policy',
  'http://www.w3.org/ns/ws-policy',
];
const idUri = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd';
const assertions: ReadonlySet<string> = new Set([
  '{http://schemas.xmlsoap.org/ws/2004/09/policy/optimizedmimeserialization}OptimizedMimeSerialization',
  '{http://www.w3.org/2007/08/soap12-mtom-policy}MTOM',
  '{http://www.w3.org/2007/08/soap11-mtom-policy}MTOM',
]);

/** Whether no alternative of a policy that the port or its binding has, or refers to, is without MTOM. */
export function demandsMtom(
  roots: readonly LocatedElement[],
  { port, binding }: Pick<Port, 'port' | 'binding'>,
): boolean {
  const policies = new Map(roots.flatMap((root) => root.children.filter(isPolicy).map((each) => [idOf(each), each])));
  const used = [...port.children, ...elementsIn(binding)].flatMap((each) => {
    if (isPolicy(each)) return [each];
    const uri = isOfPolicy(each, 'PolicyReference') ? (each.attributes.get('URI') ?? '') : '';
    return policies.get(uri.replace(/^#/, '')) ?? [];
  });
  return used.some(demands);
}

/** An operator demands what one of its parts demands; a choice what all of them do. */
function demands(element: LocatedElement): boolean {
  if (isOptional(element)) return false;
  if (assertions.has(`{${element.namespace}}${element.local}`)) return true;
  const { children } = element;
  if (isOfPolicy(element, 'ExactlyOne')) return children.length > 0 && children.every(demands);
  return (isPolicy(element) || isOfPolicy(element, 'All')) && children.some(demands);
}

function isOptional({ qualified }: LocatedElement): boolean {
  return qualified.some(
    ({ namespace, local, value }) =>
      policyUris.includes(namespace) && local === 'Optional' && /^(?:true|1)$/.test(value.trim()),
  );
}

function isPolicy(element: LocatedElement): boolean {
  return isOfPolicy(element, 'Policy');
}

function isOfPolicy({ namespace, local }: LocatedElement, name: string): boolean {
  return local === name && policyUris.includes(namespace);
}

function idOf({ qualified, attributes }: LocatedElement): string {
  const id = qualified.find(({ namespace, local }) => namespace === idUri && local === 'Id')?.value;
  return id ?? qualified.find(({ local }) => local === 'id')?.value ?? attributes.get('Name') ?? '';
}

function elementsIn(element: LocatedElement): readonly LocatedElement[] {
  return element.children.flatMap((each) => [each, ...elementsIn(each)]);
}
