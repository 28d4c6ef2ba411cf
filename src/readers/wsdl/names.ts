/** Qualified names in WSDL and XML Schema documents, and the namespaces that an import knows. */
import type { LocatedElement } from '../../core/xml/index.ts';

export const wsdlUri = 'http://schemas.xmlsoap.org/wsdl/';
export const xsdUri = 'http://www.w3.org/2001/XMLSchema';
export const soapUri = 'http://schemas.xmlsoap.org/wsdl/soap/';
export const soap12Uri = 'http://schemas.xmlsoap.org/wsdl/soap12/';
export const encodingUri = 'http://schemas.xmlsoap.org/soap/encoding/';
export const mimeUri = 'http://schemas.xmlsoap.org/wsdl/mime/';
/** Types and attributes that describe the media types of bytes. */
export const xmlMimeUri = 'http://www.w3.org/2005/05/xmlmime';
/** The element that stands for bytes beside the envelope. */
export const xopUri = 'http://www.w3.org/2004/08/xop/include';
/** The namespace of swaRef, of the WS-I Attachments Profile. */
export const wsiUri = 'http://ws-i.org/profiles/basic/1.1/xsd';
/** Types of Axis 1 and of Apache SOAP. */
export const apacheUri = 'http://xml.apache.org/xml-soap';
/** Its one type, Map, is declared nowhere. */
export const xmlSoapUri = 'http://xml.apache.org/xml-soap';
export const xmlUri = 'http://www.w3.org/XML/1998/namespace';

export interface QName {
  readonly uri: string;
  readonly local: string;
}

/** `{urn:orders}Order` */
export function keyOf({ uri, local }: QName): string {
  return `{${uri}}${local}`;
}

/** The name that a value means where it stands; undefined for an undeclared prefix. */
export function resolveName(element: LocatedElement, value: string): QName | undefined {
  const trimmed = value.trim();
  const colon = trimmed.indexOf(':');
  const prefix = colon === -1 ? '' : trimmed.slice(0, colon);
  const declared = Object.hasOwn(element.prefixes, prefix) ? element.prefixes[prefix] : undefined;
  const uri = prefix === 'xml' ? xmlUri : (declared ?? (prefix === '' ? '' : undefined));
  return uri === undefined ? undefined : { uri, local: trimmed.slice(colon + 1) };
}

/** The name in an attribute; undefined where it is absent or has an undeclared prefix. */
export function nameIn(element: LocatedElement, attribute: string): QName | undefined {
  const value = element.attributes.get(attribute);
  return value === undefined ? undefined : resolveName(element, value);
}

/** The attribute `name` of a declaration; empty where it is absent. */
export function nameOf({ attributes }: LocatedElement): string {
  return attributes.get('name') ?? '';
}

export function isNamed({ namespace, local }: LocatedElement, uri: string, name: string): boolean {
  return local === name && namespace === uri;
}

export function childrenNamed(element: LocatedElement, uri: string, name: string): readonly LocatedElement[] {
  return element.children.filter((each) => isNamed(each, uri, name));
}

export function childNamed(element: LocatedElement, uri: string, name: string): LocatedElement | undefined {
  return element.children.find((each) => isNamed(each, uri, name));
}

/** The element around all others. */
export function rootOf(element: LocatedElement): LocatedElement {
  let root = element;
  while (root.parent !== undefined) root = root.parent;
  return root;
}

/** The documentation of a part of a WSDL or of a schema, on one line; empty where there is none. */
export function docOf(element: LocatedElement): string {
  const annotation = childNamed(element, xsdUri, 'annotation');
  const texts = [
    ...childrenNamed(element, wsdlUri, 'documentation'),
    ...(annotation === undefined ? [] : childrenNamed(annotation, xsdUri, 'documentation')),
  ].map(textOf);
  return texts
    .map((text) => text.replace(/\s+/g, ' ').trim())
    .filter((text) => text !== '')
    .join(' ');
}

function textOf({ text, children }: LocatedElement): string {
  return [text, ...children.map(textOf)].join(' ');
}
