/** Derives the WSDL 1.1 document of a service: document/literal, or rpc/literal where its style is that, with bindings for SOAP 1.1 and SOAP 1.2. */
import {
  attachedFieldsOf,
  elementPrefix,
  type Fault,
  faultsOf,
  headerBlocksOf,
  mayAttach,
  namedOperations,
  namespacesOf,
  namespacesOfFaults,
  type Operation,
  ownUri,
  type Service,
  sidesOf,
  soapActionOf,
  uriOf,
} from '../core/contract/index.ts';
import { runToEnd, type Steps } from '../core/lib/index.ts';
import { printInSteps, type Tag, tag } from './xml-document.ts';
import { elementNamespaces, schemaTags, xsdUri } from './xsd.ts';
import { collectTypes, localName, messageKey, namespaceOf, swaRef, swaRefUri, type Types } from './xsd-types.ts';

interface WsdlOptions {
  /** Where the service is called, as an absolute URL. */
  readonly address: string;
  /** Whether the document binds SOAP 1.2 as well as SOAP 1.1. */
  readonly soap12: boolean;
  /** Whether messages may have a UsernameToken as the credential. */
  readonly usernameToken?: boolean;
}

const fault = 'ServiceException';
const transport = 'http://schemas.xmlsoap.org/soap/http';

/** The differences between the two bindings. */
interface Binding {
  readonly version: 'soap11' | 'soap12';
  readonly prefix: string;
  readonly suffix: string;
}

const binding11: Binding = { version: 'soap11', prefix: 'soap', suffix: '' };
const binding12: Binding = { version: 'soap12', prefix: 'soap12', suffix: '12' };

/** The schemas are inline. */
export function deriveWsdl(service: Service, options: WsdlOptions): string {
  return runToEnd(printWsdl(service, options));
}

/** As `deriveWsdl`, in steps. */
export function* printWsdl(service: Service, { address, soap12, usernameToken = false }: WsdlOptions): Steps<string> {
  const { name, doc } = service;
  // SOAP stacks use the first binding by default.
  const bindings = soap12 ? [binding11, binding12] : [binding11];
  const uri = ownUri(service);
  const operations = namedOperations(service);
  const schemas = operations.flatMap((each) => sidesOf(each).map((side) => each[side]));
  const hasBytes = schemas.some((each) => mayAttach(each) !== 'nothing');
  const hasAttachments = schemas.some((each) => attachedFieldsOf(each).length > 0);
  const isAtPaths = service.paths !== undefined;
  const bindingName = ({ suffix }: Binding) => `${name}HttpBinding${suffix}`;
  const ports = bindings.map((binding) =>
    tag(
      'wsdl:port',
      { name: `${name}HttpPort${binding.suffix}`, binding: `tns:${bindingName(binding)}` },
      tag(`${binding.prefix}:address`, { location: address }),
    ),
  );
  return yield* printInSteps(
    tag(
      'wsdl:definitions',
      {
        'xmlns:wsdl': 'http://schemas.xmlsoap.org/wsdl/',
        ...Object.fromEntries(
          bindings.map(({ prefix }) => [`xmlns:${prefix}`, `http://schemas.xmlsoap.org/wsdl/${prefix}/`]),
        ),
        'xmlns:xsd': xsdUri,
        'xmlns:tns': uri,
        ...(isAtPaths && { 'xmlns:jaxws': 'http://java.sun.com/xml/ns/jaxws' }),
        ...(hasBytes && policyNamespaces),
        ...(hasAttachments && { 'xmlns:mime': 'http://schemas.xmlsoap.org/wsdl/mime/' }),
        ...prefixesOfParts(service),
        ...(usernameToken && tokenNamespaces),
        ...(operations.some(({ replyAction }) => replyAction !== undefined) && {
          'xmlns:wsam': 'http://www.w3.org/2007/05/addressing/metadata',
        }),
        targetNamespace: uri,
      },
      ...(isAtPaths ? [bareStubs] : []),
      ...(hasBytes ? [mtomPolicy] : []),
      ...(usernameToken ? [usernameTokenPolicy()] : []),
      tag('wsdl:types', {}, ...schemaTags(service, () => undefined).values()),
      ...messages(service, operations),
      portType(`${name}PortType`, operations),
      ...bindings.map((binding) =>
        bindingTag(service, bindingName(binding), binding, { operations, hasBytes, usernameToken }),
      ),
      tag('wsdl:service', { name }, documentation(doc), ...ports),
    ),
  );
}

const policyNamespaces = {
  'xmlns:wsp': 'http://schemas.xmlsoap.org/ws/2004/09/policy',
  'xmlns:wsu': 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd',
  'xmlns:wsoma': 'http://schemas.xmlsoap.org/ws/2004/09/policy/optimizedmimeserialization',
};

/** Callers may send and receive bytes as parts beside the envelope. Stubs that know the policy do. */
const mtomPolicy = tag(
  'wsp:Policy',
  { 'wsu:Id': 'Mtom' },
  tag('wsoma:OptimizedMimeSerialization', { 'wsp:Optional': 'true' }),
);

/** The identifier of the policy in its document. */
const policyId = 'UsernameToken';
const securityPolicyUri = 'http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702';

/** The namespaces that the tags of the policy need. */
const tokenNamespaces: Readonly<Record<string, string>> = Object.freeze({
  'xmlns:wsp': 'http://schemas.xmlsoap.org/ws/2004/09/policy',
  'xmlns:sp': securityPolicyUri,
  'xmlns:wsu': 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd',
});

/** A UsernameToken with its password as text (WS-SecurityPolicy 1.2). It is optional: the headers of HTTP may have the credential instead. */
function usernameTokenPolicy(): Tag {
  const token = tag(
    'sp:UsernameToken',
    { 'sp:IncludeToken': `${securityPolicyUri}/IncludeToken/AlwaysToRecipient` },
    tag('wsp:Policy', {}, tag('sp:WssUsernameToken10')),
  );
  const tokens = tag('sp:SupportingTokens', { 'wsp:Optional': 'true' }, tag('wsp:Policy', {}, token));
  return tag('wsp:Policy', { 'wsu:Id': policyId }, tokens);
}

/**
 * Java stubs of an operation take one object and return one. wsimport would make parameters of their members, and refuses members of
 * both sides with one name, and names like `default`, which members of JSON have.
 */
const bareStubs = tag('jaxws:bindings', {}, tag('jaxws:enableWrapperStyle', {}, 'false'));

function documentation(text: string): Tag {
  return tag('wsdl:documentation', {}, text);
}

function messages(service: Service, operations: readonly Operation[]): readonly Tag[] {
  const { own } = namespacesOf(service);
  const types = collectTypes(service);
  const written = compileWritten(service);
  const attachmentsOf = (operation: Operation, side: 'input' | 'output') =>
    attachedFieldsOf(operation[side]).map((name) => ({ name, type: 'xsd:base64Binary' }));
  const message = (operation: Operation, side: 'input' | 'output', suffix: string) =>
    tag(
      'wsdl:message',
      { name: `${operation.name}${suffix}` },
      ...[...bodyParts(service, types, operation, side), ...attachmentsOf(operation, side)].map((each) =>
        tag('wsdl:part', each),
      ),
    );
  return [
    tag('wsdl:message', { name: fault }, tag('wsdl:part', { name: fault, element: written(types.fault.element) })),
    ...operations.flatMap((operation) => sidesOf(operation).flatMap((side) => headerMessage(service, operation, side))),
    ...faultsOf(service).map((each) => {
      const { element, namespace = own } = each;
      const part = tag('wsdl:part', { name: 'fault', element: written(`${namespace}:${element}`) });
      return tag('wsdl:message', { name: faultName(each) }, part);
    }),
    ...operations.flatMap((operation) => [
      message(operation, 'input', 'Request'),
      ...(operation.oneWay ? [] : [message(operation, 'output', 'Response')]),
    ]),
  ];
}

/** The parts of a message that are in the Body. */
function bodyParts(
  service: Service,
  { messages: contents, bodies }: Types,
  operation: Operation,
  side: 'input' | 'output',
) {
  const written = compileWritten(service);
  const key = messageKey(operation, side, service);
  const elements = bodies.get(key);
  if (elements !== undefined) return elements.map((each) => ({ name: localName(each), element: written(each) }));
  if (service.soapStyle === 'rpc')
    return contents
      .get(key)!
      .elements.map(({ name, type, reference }) =>
        reference === undefined ? { name, type: written(type.name) } : { name, element: written(reference) },
      );
  // With attachments a response is no single value. wsimport makes it parameters, and one parameter of two parts with one name.
  const isOneOfMany =
    side === 'output' && sidesOf(operation).some((each) => attachedFieldsOf(operation[each]).length > 0);
  const name = isOneOfMany ? 'result' : isWrapper(operation) ? 'parameters' : 'body';
  return [{ name, element: written(key) }];
}

/** Stubs of .NET unwrap what a part of the name `parameters` has, and fail at an element that is a text. */
function isWrapper(operation: Operation): boolean {
  const fields = sidesOf(operation).flatMap((side) => Object.values(operation[side].fields));
  return fields.every(({ xml }) => xml !== 'text');
}

/** Qualified names as the document writes them. */
function compileWritten(service: Service): (name: string) => string {
  const { own } = namespacesOf(service);
  return (name) => (namespaceOf(name) === own ? `tns:${localName(name)}` : name.replace(/^:/, ''));
}

function headerMessage(service: Service, operation: Operation, side: 'input' | 'output'): readonly Tag[] {
  const blocks = headerBlocksOf(operation[side]);
  if (blocks.length === 0) return [];
  const parts = blocks.map(({ name, namespace }) => {
    const prefix = namespace === undefined || namespace === namespacesOf(service).own ? 'tns' : namespace;
    return tag('wsdl:part', { name, element: `${prefix}:${name}` });
  });
  return [tag('wsdl:message', { name: headerName(operation, side) }, ...parts)];
}

function headerName({ name }: Operation, side: 'input' | 'output'): string {
  return `${name}${side === 'input' ? 'Request' : 'Response'}Header`;
}

/** The name of a fault and of its message. Stubs call their exception so, and the type of its data otherwise. */
function faultName({ element }: Fault): string {
  return `${element}Fault`;
}

/** The prefixes of the types and the elements of parts, and of the elements of faults. */
function prefixesOfParts(service: Service): Readonly<Record<string, string>> {
  const { own, uris } = namespacesOf(service);
  const { messages: contents, bodies } = collectTypes(service);
  const isRpc = service.soapStyle === 'rpc';
  const types = isRpc
    ? [...contents.values()].flatMap(({ elements }) => elements.map(({ type, reference }) => reference ?? type.name))
    : [];
  const used = new Set([
    ...[...types, ...[...bodies.values()].flat()].map(namespaceOf),
    ...elementNamespaces(service),
    ...namespacesOfFaults(faultsOf(service)),
    ...headerNamespaces(service),
  ]);
  const known = Object.keys(uris).filter((prefix) => prefix !== own && prefix !== '' && used.has(prefix));
  return {
    ...Object.fromEntries(known.map((prefix) => [`xmlns:${prefix}`, uriOf(service, prefix)])),
    ...(types.includes(swaRef) && { [`xmlns:${namespaceOf(swaRef)}`]: swaRefUri }),
  };
}

function headerNamespaces(service: Service): readonly string[] {
  return namedOperations(service).flatMap((operation) =>
    sidesOf(operation).flatMap((side) =>
      headerBlocksOf(operation[side]).flatMap(({ namespace }) => (namespace === undefined ? [] : [namespace])),
    ),
  );
}

function portType(name: string, operations: readonly Operation[]): Tag {
  return tag(
    'wsdl:portType',
    { name },
    ...operations.map(({ name: each, doc, oneWay, replyAction, faults = [] }) =>
      tag(
        'wsdl:operation',
        { name: each },
        documentation(doc),
        tag('wsdl:input', { name: `${each}Request`, message: `tns:${each}Request` }),
        // An operation without an output declares no fault either (WSDL 1.1, section 2.4.1).
        ...(oneWay
          ? []
          : [
              tag('wsdl:output', {
                name: `${each}Response`,
                message: `tns:${each}Response`,
                'wsam:Action': replyAction,
              }),
              tag('wsdl:fault', { name: fault, message: `tns:${fault}` }),
              ...faults.map(faultName).map((name) => tag('wsdl:fault', { name, message: `tns:${name}` })),
            ]),
      ),
    ),
  );
}

function bindingTag(
  service: Service,
  name: string,
  { version, prefix }: Binding,
  {
    operations,
    hasBytes,
    usernameToken,
  }: { readonly operations: readonly Operation[]; readonly hasBytes: boolean; readonly usernameToken: boolean },
): Tag {
  const isRpc = service.soapStyle === 'rpc';
  const types = collectTypes(service);
  const body = (operation: Operation, side: 'input' | 'output') => {
    const namespace = isRpc ? uriOf(service, elementPrefix(operation, side)) || undefined : undefined;
    const attached = attachedFieldsOf(operation[side]);
    if (attached.length === 0) return tag(`${prefix}:body`, { use: 'literal', namespace });
    const parts = bodyParts(service, types, operation, side)
      .map(({ name }) => name)
      .join(' ');
    return tag(
      'mime:multipartRelated',
      {},
      tag('mime:part', {}, tag(`${prefix}:body`, { parts, use: 'literal', namespace })),
      ...attached.map((part) => {
        const { schema } = operation[side].fields[part]!;
        const type = (schema.kind === 'binary' ? schema.mediaType : undefined) ?? 'application/octet-stream';
        return tag('mime:part', {}, tag('mime:content', { part, type }));
      }),
    );
  };
  const headers = (operation: Operation, side: 'input' | 'output'): readonly Tag[] =>
    headerBlocksOf(operation[side]).map((block) =>
      tag(`${prefix}:header`, { message: `tns:${headerName(operation, side)}`, part: block.name, use: 'literal' }),
    );
  return tag(
    'wsdl:binding',
    { name, type: `tns:${service.name}PortType` },
    ...(hasBytes ? [tag('wsp:PolicyReference', { URI: '#Mtom' })] : []),
    ...(usernameToken ? [tag('wsp:PolicyReference', { URI: `#${policyId}` })] : []),
    tag(`${prefix}:binding`, { style: isRpc ? 'rpc' : 'document', transport }),
    ...operations.map((operation) => {
      const { name: each } = operation;
      return tag(
        'wsdl:operation',
        { name: each },
        tag(`${prefix}:operation`, { soapAction: soapActionOf(operation, version) }),
        tag('wsdl:input', { name: `${each}Request` }, body(operation, 'input'), ...headers(operation, 'input')),
        ...(operation.oneWay
          ? []
          : [
              tag(
                'wsdl:output',
                { name: `${each}Response` },
                body(operation, 'output'),
                ...headers(operation, 'output'),
              ),
              ...[fault, ...(operation.faults ?? []).map(faultName)].map((name) =>
                tag('wsdl:fault', { name }, tag(`${prefix}:fault`, { name, use: 'literal' })),
              ),
            ]),
      );
    }),
  );
}
