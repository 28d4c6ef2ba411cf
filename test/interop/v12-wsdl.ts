/** Writes a WSDL document with the types of V12, as old stubs were made from it. */
import { enumerations, messages, namespaces, objects, operations, type Prefix } from './v12-types.ts';

export interface Member {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly repeated: boolean;
  readonly lengths: readonly [min: string, max: string] | undefined;
}

/** Returns a document whose port has the given address. */
export function v12Wsdl(address: string): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<wsdl:definitions targetNamespace="${namespaces.recurring}"`,
    ...Object.entries(namespaces).map(([prefix, uri]) => ` xmlns:${prefix}="${uri}"`),
    ' xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:wsdlsoap="http://schemas.xmlsoap.org/wsdl/soap/"',
    ' xmlns:xsd="http://www.w3.org/2001/XMLSchema">',
    '<wsdl:types>',
    schema('recurring', ['common', 'payment'], [mapType, ...wrappers()]),
    schema('common', [], Object.entries(enumerations).map(enumeration)),
    schema('payment', ['common'], []),
    '</wsdl:types>',
    message('ServiceException', 'ServiceException', 'ServiceException'),
    ...operations.flatMap((each) => [
      message(`${each}Request`, 'parameters', each),
      message(`${each}Response`, 'parameters', `${each}Response`),
    ]),
    '<wsdl:portType name="RecurringPortType">',
    ...operations.map(portOperation),
    '</wsdl:portType>',
    '<wsdl:binding name="RecurringHttpBinding" type="recurring:RecurringPortType">',
    '<wsdlsoap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>',
    ...operations.map(boundOperation),
    '</wsdl:binding>',
    '<wsdl:service name="Recurring"><wsdl:port binding="recurring:RecurringHttpBinding" name="RecurringHttpPort">',
    `<wsdlsoap:address location="${address}"/>`,
    '</wsdl:port></wsdl:service>',
    '</wsdl:definitions>',
    '',
  ].join('\n');
}

/** Returns the members of a type, from their short form in the table. */
export function members(text: string): readonly Member[] {
  return text.split(' ').map((each) => {
    const [, name, mark, min, max, type] = /^(\w+)([!*]?)(?:\((\d+)-(\d+)\))?(?::([\w:]+))?$/.exec(each) ?? [];
    if (name === undefined) throw new Error(`cannot read the member ${each}`);
    return {
      name,
      type: type ?? 'xsd:string',
      required: mark === '!',
      repeated: mark === '*',
      lengths: min === undefined || max === undefined ? undefined : [min, max],
    };
  });
}

function schema(prefix: Prefix, imports: readonly Prefix[], more: readonly string[]): string {
  return [
    `<xsd:schema attributeFormDefault="qualified" elementFormDefault="qualified" targetNamespace="${namespaces[prefix]}">`,
    ...imports.map((each) => `<xsd:import namespace="${namespaces[each]}"/>`),
    ...Object.entries(objects[prefix]).map(
      ([name, text]) => `<xsd:complexType name="${name}">${sequence(members(text).map(element))}</xsd:complexType>`,
    ),
    ...more,
    '</xsd:schema>',
  ].join('\n');
}

function sequence(elements: readonly string[]): string {
  return `<xsd:sequence>${elements.join('')}</xsd:sequence>`;
}

function element({ name, type, required, repeated, lengths }: Member): string {
  const occurrence = `${repeated ? 'maxOccurs="unbounded" ' : ''}minOccurs="${required ? 1 : 0}"`;
  const start = `<xsd:element ${occurrence} name="${name}"${required ? '' : ' nillable="true"'}`;
  if (lengths === undefined) return `${start} type="${type}"/>`;
  const [min, max] = lengths;
  return `${start}><xsd:simpleType><xsd:restriction base="${type}"><xsd:minLength value="${min}"/><xsd:maxLength value="${max}"/></xsd:restriction></xsd:simpleType></xsd:element>`;
}

/** The one type whose entries are anonymous. */
const mapType =
  '<xsd:complexType name="anyType2anyTypeMap"><xsd:sequence><xsd:element maxOccurs="unbounded" minOccurs="0" name="entry">' +
  `<xsd:complexType>${sequence(
    ['key', 'value'].map((name) => `<xsd:element maxOccurs="1" minOccurs="0" name="${name}" type="xsd:anyType"/>`),
  )}</xsd:complexType></xsd:element></xsd:sequence></xsd:complexType>`;

function enumeration([name, values]: readonly [string, readonly string[]]): string {
  const list = values.map((value) => `<xsd:enumeration value="${value}"/>`).join('');
  return `<xsd:simpleType name="${name}"><xsd:restriction base="xsd:string">${list}</xsd:restriction></xsd:simpleType>`;
}

/** The elements of the messages. */
function wrappers(): readonly string[] {
  const wrapper = (name: string, child: string, type: string) =>
    `<xsd:element name="${name}"><xsd:complexType>${sequence([
      `<xsd:element maxOccurs="1" minOccurs="1" name="${child}" nillable="true" type="recurring:${type}"/>`,
    ])}</xsd:complexType></xsd:element>`;
  return [
    '<xsd:element name="ServiceException" type="common:ServiceException"/>',
    ...operations.flatMap((each) => {
      const [request, result] = messages[each];
      return [wrapper(each, 'request', request), wrapper(`${each}Response`, 'result', result)];
    }),
  ];
}

function message(name: string, part: string, element: string): string {
  return `<wsdl:message name="${name}"><wsdl:part element="recurring:${element}" name="${part}"/></wsdl:message>`;
}

function portOperation(name: string): string {
  return [
    `<wsdl:operation name="${name}">`,
    `<wsdl:input message="recurring:${name}Request" name="${name}Request"/>`,
    `<wsdl:output message="recurring:${name}Response" name="${name}Response"/>`,
    '<wsdl:fault message="recurring:ServiceException" name="ServiceException"/>',
    '</wsdl:operation>',
  ].join('');
}

function boundOperation(name: string): string {
  const body = '<wsdlsoap:body use="literal"/>';
  return [
    `<wsdl:operation name="${name}"><wsdlsoap:operation soapAction=""/>`,
    `<wsdl:input name="${name}Request">${body}</wsdl:input>`,
    `<wsdl:output name="${name}Response">${body}</wsdl:output>`,
    '<wsdl:fault name="ServiceException"><wsdlsoap:fault name="ServiceException" use="literal"/></wsdl:fault>',
    '</wsdl:operation>',
  ].join('');
}
