/** Derives the WSDL 1.1 document of a service: document/literal wrapped, with bindings for SOAP 1.1 and SOAP 1.2. */
import type { Operation } from '../contract/operation.ts';
import { namedOperations, ownUri, type Service } from '../contract/service.ts';
import { printDocument, type Tag, tag } from './xml-document.ts';
import { schemaTags, xsdUri } from './xsd.ts';

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
  readonly prefix: string;
  readonly suffix: string;
  readonly extension: string;
}

const binding11: Binding = { prefix: 'soap', suffix: '', extension: 'http://schemas.xmlsoap.org/wsdl/soap/' };
const binding12: Binding = { prefix: 'soap12', suffix: '12', extension: 'http://schemas.xmlsoap.org/wsdl/soap12/' };

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
        targetNamespace: uri,
      },
      tag('wsdl:types', {}, ...schemaTags(service, () => undefined).values()),
      ...messages(operations),
      portType(`${name}PortType`, operations),
      ...bindings.map((binding) => bindingTag(bindingName(binding), `${name}PortType`, binding, operations)),
      tag('wsdl:service', { name }, documentation(doc), ...ports),
    ),
  );
}

function documentation(text: string): Tag {
  return tag('wsdl:documentation', {}, text);
}

function messages(operations: readonly Operation[]): readonly Tag[] {
  const message = (name: string, part: string, element: string) =>
    tag('wsdl:message', { name }, tag('wsdl:part', { name: part, element: `tns:${element}` }));
  return [
    message(fault, fault, fault),
    ...operations.flatMap(({ name }) => [
      message(`${name}Request`, 'parameters', name),
      message(`${name}Response`, 'parameters', `${name}Response`),
    ]),
  ];
}

function portType(name: string, operations: readonly Operation[]): Tag {
  return tag(
    'wsdl:portType',
    { name },
    ...operations.map(({ name: each, doc }) =>
      tag(
        'wsdl:operation',
        { name: each },
        documentation(doc),
        tag('wsdl:input', { name: `${each}Request`, message: `tns:${each}Request` }),
        tag('wsdl:output', { name: `${each}Response`, message: `tns:${each}Response` }),
        tag('wsdl:fault', { name: fault, message: `tns:${fault}` }),
      ),
    ),
  );
}

function bindingTag(name: string, type: string, { prefix }: Binding, operations: readonly Operation[]): Tag {
  const body = tag(`${prefix}:body`, { use: 'literal' });
  return tag(
    'wsdl:binding',
    { name, type: `tns:${type}` },
    tag(`${prefix}:binding`, { style: 'document', transport }),
    ...operations.map(({ name: each }) =>
      tag(
        'wsdl:operation',
        { name: each },
        tag(`${prefix}:operation`, { soapAction: '' }),
        tag('wsdl:input', { name: `${each}Request` }, body),
        tag('wsdl:output', { name: `${each}Response` }, body),
        tag('wsdl:fault', { name: fault }, tag(`${prefix}:fault`, { name: fault, use: 'literal' })),
      ),
    ),
  );
}
