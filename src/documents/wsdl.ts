/** Derives the WSDL 1.1 document of a service: document/literal wrapped, with bindings for SOAP 1.1 and SOAP 1.2. */
import { namedOperations, ownUri, type Service } from '../contract/service.ts';
import { printDocument, type Tag, tag } from './xml-document.ts';
import { schemaTags, xsdUri } from './xsd.ts';

export interface WsdlOptions {
  /** Where the service is called, as an absolute URL. */
  readonly address: string;
}

const fault = 'ServiceException';
const transport = 'http://schemas.xmlsoap.org/soap/http';

/** The differences between the two bindings. */
interface Binding {
  readonly prefix: string;
  readonly suffix: string;
  /** Axis 1.4 reads no document with a `soap12:fault`; without one every stack reads both bindings. */
  readonly namesFault: boolean;
}

/** SOAP 1.1 first, because SOAP stacks use the first binding by default. */
const bindings: readonly Binding[] = [
  { prefix: 'soap', suffix: '', namesFault: true },
  { prefix: 'soap12', suffix: '12', namesFault: false },
];

/** The schemas are inline. */
export function deriveWsdl(service: Service, { address }: WsdlOptions): string {
  const { name } = service;
  const uri = ownUri(service);
  const operations = namedOperations(service).map((each) => each.name);
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
        'xmlns:soap': 'http://schemas.xmlsoap.org/wsdl/soap/',
        'xmlns:soap12': 'http://schemas.xmlsoap.org/wsdl/soap12/',
        'xmlns:xsd': xsdUri,
        'xmlns:tns': uri,
        targetNamespace: uri,
      },
      tag('wsdl:types', {}, ...schemaTags(service, () => undefined).values()),
      ...messages(operations),
      portType(`${name}PortType`, operations),
      ...bindings.map((binding) => bindingTag(bindingName(binding), `${name}PortType`, binding, operations)),
      tag('wsdl:service', { name }, ...ports),
    ),
  );
}

function messages(operations: readonly string[]): readonly Tag[] {
  const message = (name: string, part: string, element: string) =>
    tag('wsdl:message', { name }, tag('wsdl:part', { name: part, element: `tns:${element}` }));
  return [
    message(fault, fault, fault),
    ...operations.flatMap((name) => [
      message(`${name}Request`, 'parameters', name),
      message(`${name}Response`, 'parameters', `${name}Response`),
    ]),
  ];
}

function portType(name: string, operations: readonly string[]): Tag {
  return tag(
    'wsdl:portType',
    { name },
    ...operations.map((each) =>
      tag(
        'wsdl:operation',
        { name: each },
        tag('wsdl:input', { name: `${each}Request`, message: `tns:${each}Request` }),
        tag('wsdl:output', { name: `${each}Response`, message: `tns:${each}Response` }),
        tag('wsdl:fault', { name: fault, message: `tns:${fault}` }),
      ),
    ),
  );
}

function bindingTag(name: string, type: string, binding: Binding, operations: readonly string[]): Tag {
  const { prefix, namesFault } = binding;
  const body = tag(`${prefix}:body`, { use: 'literal' });
  const faults = namesFault
    ? [tag('wsdl:fault', { name: fault }, tag(`${prefix}:fault`, { name: fault, use: 'literal' }))]
    : [];
  return tag(
    'wsdl:binding',
    { name, type: `tns:${type}` },
    tag(`${prefix}:binding`, { style: 'document', transport }),
    ...operations.map((each) =>
      tag(
        'wsdl:operation',
        { name: each },
        tag(`${prefix}:operation`, { soapAction: '' }),
        tag('wsdl:input', { name: `${each}Request` }, body),
        tag('wsdl:output', { name: `${each}Response` }, body),
        ...faults,
      ),
    ),
  );
}
