/** Finds the parts of WSDL documents by name, and the port that an import is about. */
import type { LocatedElement } from '../../core/xml/index.ts';
import type { FindingCollector } from './findings.ts';
import { childNamed, childrenNamed, keyOf, nameIn, nameOf, rootOf, soap12Uri, soapUri, wsdlUri } from './names.ts';
import { Unread } from './read-location.ts';

const kinds = ['message', 'portType', 'binding'] as const;
type Kind = (typeof kinds)[number];

export class Definitions {
  readonly roots: readonly LocatedElement[];
  /** By kind and name. */
  readonly #parts = new Map<string, LocatedElement>();

  constructor(roots: readonly LocatedElement[]) {
    this.roots = roots;
    for (const root of roots) {
      const uri = root.attributes.get('targetNamespace') ?? '';
      for (const kind of kinds)
        for (const each of childrenNamed(root, wsdlUri, kind))
          this.#parts.set(`${kind} ${keyOf({ uri, local: nameOf(each) })}`, each);
    }
  }

  /** The part that an attribute names. */
  named(kind: Kind, from: LocatedElement, attribute: string): LocatedElement | undefined {
    const name = nameIn(from, attribute);
    if (name === undefined) return undefined;
    // Some makers leave the prefix out, where the default namespace is that of WSDL.
    const uri = name.uri === wsdlUri ? (rootOf(from).attributes.get('targetNamespace') ?? '') : name.uri;
    return this.#parts.get(`${kind} ${keyOf({ uri, local: name.local })}`);
  }

  services(): readonly LocatedElement[] {
    return this.roots.flatMap((root) => childrenNamed(root, wsdlUri, 'service'));
  }

  bindings(): readonly LocatedElement[] {
    return this.roots.flatMap((root) => childrenNamed(root, wsdlUri, 'binding'));
  }
}

export interface Port {
  readonly service: LocatedElement;
  readonly port: LocatedElement;
  readonly binding: LocatedElement;
  readonly portType: LocatedElement;
  /** The namespace of the elements of SOAP in the binding. */
  readonly soap: string;
  readonly location: string;
  /** The port of its service that binds the same port type to the other version of SOAP. */
  readonly other?: Pick<Port, 'binding' | 'soap'> | undefined;
}

export interface PortChoice {
  readonly service?: string | undefined;
  readonly port?: string | undefined;
}

/**
 * The chosen ports, one for each port type: that of SOAP 1.1 where both versions of SOAP have one. Throws Unread where there is
 * none.
 */
export function choosePorts(definitions: Definitions, choice: PortChoice, findings: FindingCollector): readonly Port[] {
  const all = definitions
    .services()
    .flatMap((service) => childrenNamed(service, wsdlUri, 'port').map((port) => ({ service, port })));
  const ports = all.flatMap(({ service, port }) =>
    openBinding(definitions, service, port, definitions.named('binding', port, 'binding'), findings),
  );
  if (all.length === 0) ports.push(...portsOfBindings(definitions, findings));
  const asked = ports.filter(
    ({ service, port }) =>
      (choice.service === undefined || service.attributes.get('name') === choice.service) &&
      (choice.port === undefined || port.attributes.get('name') === choice.port),
  );
  if (asked.length === 0) {
    const names = ports.map(({ service, port }) => `${service.attributes.get('name')}/${port.attributes.get('name')}`);
    throw new Unread(`no such port of SOAP; there ${names.length === 1 ? 'is' : 'are'} ${names.join(', ') || 'none'}`);
  }
  return [...Map.groupBy(asked, ({ portType }) => portType).values()].map((alike) => {
    const chosen = alike.find(({ soap }) => soap === soapUri) ?? alike[0]!;
    const other = ports.find(
      ({ service, portType, soap }) =>
        service === chosen.service && portType === chosen.portType && soap !== chosen.soap,
    );
    return { ...chosen, other };
  });
}

/** Documents without a service declare interfaces for many servers, as those of ONVIF do: each binding is a port without an address. */
function portsOfBindings(definitions: Definitions, findings: FindingCollector): readonly Port[] {
  const ports = definitions.bindings().flatMap((each) => openBinding(definitions, each, each, each, findings));
  for (const { binding } of ports)
    findings.add('changed', binding, 'no service names an address: --upstream says where its server is');
  return ports;
}

function openBinding(
  definitions: Definitions,
  service: LocatedElement,
  port: LocatedElement,
  binding: LocatedElement | undefined,
  findings: FindingCollector,
): readonly Port[] {
  const portType = binding && definitions.named('portType', binding, 'type');
  if (binding === undefined || portType === undefined) {
    findings.add('refused', port, 'its binding or its port type is not declared');
    return [];
  }
  const soap = [soapUri, soap12Uri].find((uri) => childNamed(binding, uri, 'binding') !== undefined);
  if (soap === undefined) {
    findings.add('refused', port, 'a port that is not one of SOAP');
    return [];
  }
  const transport = childNamed(binding, soap, 'binding')!.attributes.get('transport') ?? '';
  if (transport !== '' && !/\/http\/?$/i.test(transport)) {
    findings.add('refused', port, `a port over ${transport}`);
    return [];
  }
  const location = childNamed(port, soap, 'address')?.attributes.get('location') ?? '';
  return [{ service, port, binding, portType, soap, location }];
}
