/** Derives the WSDL 1.1 document of a service: document/literal, or rpc/literal where its style is that, with bindings for SOAP 1.1 and SOAP 1.2. */
import { elementName, type Fault, type Operation, soapActionOf } from '../contract/operation.ts';
import {
  faultsOf,
  namedOperations,
  namespacesOf,
  namespacesOfFaults,
  ownUri,
  type Service,
  uriOf,
} from '../contract/service.ts';
import { printDocument, type Tag, tag } from './xml-document.ts';
import { schemaTags, xsdUri } from './xsd.ts';
import { collectTypes, namespaceOf } from './xsd-types.ts';

export interface WsdlOptions {
  /** Where the service is called, as an absolute URL. */
  readonly address: string;
  /** Whether the document binds SOAP 1.2 as well as SOAP 1.1. */
  readonly soap12: boolean;
}

const fault = 'ServiceException';
const transport = 'http://schemas.xmlsoap.org/soap/http';

/** The differences between the two bindings. */
interface Binding {
  readonly version: 'soap11' | 'soap12';
  readonly prefix: string;
  readonly suffix: string;
  readonly extension: string;
}

const binding11: Binding = {
  version: 'soap11',
  prefix: 'soap',
  suffix: '',
  extension: 'http://schemas.xmlsoap.org/wsdl/soap/',
};
const binding12: Binding = {
  version: 'soap12',
  prefix: 'soap12',
  suffix: '12',
  extension: 'http://schemas.xmlsoap.org/wsdl/soap12/',
};

/** The schemas are inline. */
export function deriveWsdl(service: Service, { address, soap12 }: WsdlOptions): string {
  const { name, doc } = service;
  // SOAP stacks use the first binding by default.
  const bindings = soap12 ? [binding11, binding12] : [binding11];
  const uri = ownUri(service);
  const operations = namedOperations(service);
  const bindingName = ({ suffix }: Binding) => `${name}HttpBinding${suffix}`;
  const ports = bindings.map((binding) =>
    tag(
      'wsdl:port',
      { name: `${name}HttpPort${binding.suffix}`, binding: `tns:${bindingName(binding)}` },
      tag(`${binding.prefix}:address`, { location: address }),
    ),
  );
  return printDocument(
    tag(
      'wsdl:definitions',
      {
        'xmlns:wsdl': 'http://schemas.xmlsoap.org/wsdl/',
        ...Object.fromEntries(bindings.map(({ prefix, extension }) => [`xmlns:${prefix}`, extension])),
        'xmlns:xsd': xsdUri,
        'xmlns:tns': uri,
        ...prefixesOfParts(service),
        targetNamespace: uri,
      },
      tag('wsdl:types', {}, ...schemaTags(service, () => undefined).values()),
      ...messages(service, operations),
      portType(`${name}PortType`, operations),
      ...bindings.map((binding) => bindingTag(service, bindingName(binding), binding, operations)),
      tag('wsdl:service', { name }, documentation(doc), ...ports),
    ),
  );
}

function documentation(text: string): Tag {
  return tag('wsdl:documentation', {}, text);
}

function messages(service: Service, operations: readonly Operation[]): readonly Tag[] {
  const typedParts = service.soapStyle === 'rpc' ? partsOf(service) : undefined;
  const message = (name: string, part: string, element: string) => {
    const parts = typedParts?.get(element) ?? [{ name: part, element: `tns:${element}` }];
    return tag('wsdl:message', { name }, ...parts.map((each) => tag('wsdl:part', each)));
  };
  return [
    message(fault, fault, fault),
    ...faultsOf(service).map((each) => {
      const { element, namespace } = each;
      const prefix = namespace === undefined || namespace === namespacesOf(service).own ? 'tns' : namespace;
      return tag(
        'wsdl:message',
        { name: faultName(each) },
        tag('wsdl:part', { name: 'fault', element: `${prefix}:${element}` }),
      );
    }),
    ...operations.flatMap((operation) => [
      message(`${operation.name}Request`, 'parameters', elementName(operation, 'input')),
      message(`${operation.name}Response`, 'parameters', elementName(operation, 'output')),
    ]),
  ];
}

/** The name of a fault and of its message. Stubs call their exception so, and the type of its data otherwise. */
function faultName({ element }: Fault): string {
  return `${element}Fault`;
}

/** The parts of the messages of an rpc service, by the local name of the element around them. */
function partsOf(service: Service) {
  const { messages } = collectTypes(service);
  return new Map(
    [...messages].map(([name, { elements }]) => [name, elements.map(({ name, type }) => ({ name, type: type.name }))]),
  );
}

/** The prefixes of the types of parts, and of the elements of faults. */
function prefixesOfParts(service: Service): Readonly<Record<string, string>> {
  const parts = service.soapStyle === 'rpc' ? [...partsOf(service).values()].flat() : [];
  const used = [...parts.map(({ type }) => namespaceOf(type)), ...namespacesOfFaults(faultsOf(service))];
  const known = Object.keys(namespacesOf(service).uris).filter((prefix) => used.includes(prefix));
  return Object.fromEntries(known.map((prefix) => [`xmlns:${prefix}`, uriOf(service, prefix)]));
}

function portType(name: string, operations: readonly Operation[]): Tag {
  return tag(
    'wsdl:portType',
    { name },
    ...operations.map(({ name: each, doc, faults = [] }) =>
      tag(
        'wsdl:operation',
        { name: each },
        documentation(doc),
        tag('wsdl:input', { name: `${each}Request`, message: `tns:${each}Request` }),
        tag('wsdl:output', { name: `${each}Response`, message: `tns:${each}Response` }),
        tag('wsdl:fault', { name: fault, message: `tns:${fault}` }),
        ...faults.map(faultName).map((name) => tag('wsdl:fault', { name, message: `tns:${name}` })),
      ),
    ),
  );
}

function bindingTag(
  service: Service,
  name: string,
  { version, prefix }: Binding,
  operations: readonly Operation[],
): Tag {
  const isRpc = service.soapStyle === 'rpc';
  const body = tag(`${prefix}:body`, { use: 'literal', namespace: isRpc ? ownUri(service) : undefined });
  return tag(
    'wsdl:binding',
    { name, type: `tns:${service.name}PortType` },
    tag(`${prefix}:binding`, { style: isRpc ? 'rpc' : 'document', transport }),
    ...operations.map((operation) => {
      const { name: each } = operation;
      return tag(
        'wsdl:operation',
        { name: each },
        tag(`${prefix}:operation`, { soapAction: soapActionOf(operation, version) }),
        tag('wsdl:input', { name: `${each}Request` }, body),
        tag('wsdl:output', { name: `${each}Response` }, body),
        ...[fault, ...(operation.faults ?? []).map(faultName)].map((name) =>
          tag('wsdl:fault', { name }, tag(`${prefix}:fault`, { name, use: 'literal' })),
        ),
      );
    }),
  );
}
