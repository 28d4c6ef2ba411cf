/** The differences between SOAP 1.1 and SOAP 1.2. */
import { type FaultCode, type Problem, upstreamRefusal } from '../../contract/index.ts';
import { escapeXmlAttribute } from '../../xml/index.ts';
import { errorStatus } from '../errors.ts';
import { multipartType } from '../multipart.ts';
import type { Call, Head } from '../protocol.ts';

export interface Dialect {
  readonly format: 'soap11' | 'soap12';
  readonly title: string;
  readonly envelope: string;
  readonly mediaType: string;
  readonly otherMediaTypes: readonly string[];
  /** The media types of answers. */
  readonly accept: string;
  /** Of requests to a server, where the operation has none. */
  readonly defaultHeaders: Readonly<Record<string, string>>;
  /** The action that a request names; empty for none. */
  actionIn(headers: Head['headers']): string;
  /** As a trait of the format. */
  clientStyle(headers: Head['headers']): string | undefined;
  /** The attribute of a header block that names its receiver, and the value for the next receiver. */
  readonly roleAttribute: string;
  readonly nextRole: string;
  /** The prefix of the envelope in responses. */
  readonly prefix: string;
  /** The head of a request. `action`: of its operation; where it is empty, the head has none. */
  head(contentType: string, action: string): Pick<Call, 'contentType' | 'headers'>;
  /** `detail`: the elements of its detail; empty for none. */
  fault(
    problem: Problem,
    text: string,
    detail: string,
    traits: FaultTraits,
  ): { readonly status: number; readonly body: string };
}

/** What the code of a fault says beside its problem. */
interface FaultTraits {
  /** The text names no class, so the code has to. */
  readonly isTextOfServer: boolean;
  /** The same request may be sent again, so that its sender has nothing to correct. */
  readonly isTransient: boolean;
}

export const dialect11: Dialect = Object.freeze<Dialect>({
  format: 'soap11',
  title: 'SOAP 1.1',
  envelope: 'http://schemas.xmlsoap.org/soap/envelope/',
  mediaType: 'text/xml',
  // The envelope says which version a body of these is.
  otherMediaTypes: ['application/xml', multipartType],
  accept: 'text/xml, multipart/related',
  // SOAP 1.1, section 6.1.1, requires the header. Most servers find the operation in the Body, ASP.NET finds it here.
  defaultHeaders: Object.freeze({ soapaction: '""' }),
  actionIn: ({ soapaction = '' }) => soapaction.trim().replace(/^"(.*)"$/, '$1'),
  // Identifies stacks that send no User-Agent.
  clientStyle: ({ soapaction }) => actionStyle(soapaction),
  roleAttribute: 'actor',
  nextRole: 'http://schemas.xmlsoap.org/soap/actor/next',
  prefix: 'soap',
  // SOAP 1.1, section 6.1.1.
  head: (contentType, action) => ({ contentType, ...(action !== '' && { headers: { SOAPAction: `"${action}"` } }) }),
  fault(problem, text, detail, { isTextOfServer, isTransient }) {
    // Callers of this interface get soap:Server for their own errors too.
    const isOfClient = isTextOfServer && problem.status < 500 && !isTransient;
    const code = prescribedCode(problem) ?? (isOfClient ? 'Client' : 'Server');
    return {
      status: statusOf(problem, 500),
      body:
        `<soap:Fault>${faultCode(code, problem)}<faultstring>${text}</faultstring>` +
        `${detail && `<detail>${detail}</detail>`}</soap:Fault>`,
    };
  },
});

export const dialect12: Dialect = Object.freeze<Dialect>({
  format: 'soap12',
  title: 'SOAP 1.2',
  envelope: 'http://www.w3.org/2003/05/soap-envelope',
  mediaType: 'application/soap+xml',
  otherMediaTypes: [],
  accept: 'application/soap+xml, text/xml;q=0.9, multipart/related',
  defaultHeaders: Object.freeze({}),
  actionIn: ({ 'content-type': type = '' }) => /;[ \t]*action="?([^";]*)/i.exec(type)?.[1] ?? '',
  clientStyle: () => undefined,
  roleAttribute: 'role',
  nextRole: 'http://www.w3.org/2003/05/soap-envelope/role/next',
  prefix: 'env',
  // RFC 3902, section 2.
  head: (contentType, action) => ({ contentType: action === '' ? contentType : `${contentType};action="${action}"` }),
  fault(problem, text, detail, { isTransient }) {
    const status = statusOf(problem, problem.status < 500 && !isTransient ? 400 : 500);
    const code = prescribedCode(problem) ?? (status < 500 && !isTransient ? 'Sender' : 'Receiver');
    return {
      status,
      body:
        `<env:Fault><env:Code><env:Value>env:${code}</env:Value>${subcodes(problem)}</env:Code>` +
        `<env:Reason><env:Text xml:lang="en">${text}</env:Text></env:Reason>` +
        `${detail && `<env:Detail>${detail}</env:Detail>`}</env:Fault>`,
    };
  },
});

/** Whether it is a fault of another SOAP server that the contract does not have. */
export function isFaultOfServer({ kind, faultCode }: Problem): boolean {
  return kind.name === upstreamRefusal && faultCode !== undefined;
}

/** A fault of WS-Security or WS-Addressing has the status of faults: clients read it as such. */
function statusOf(problem: Problem, statusOfFormat: number): number {
  const isOfSpecification = problem.faultCode !== undefined && !isFaultOfServer(problem);
  return isOfSpecification ? statusOfFormat : errorStatus(problem, statusOfFormat);
}

const noCodes: FaultCode = Object.freeze({ codes: [] });

/** `code`: that of SOAP. */
function faultCode(code: string, problem: Problem): string {
  const { namespace, codes } = problem.faultCode ?? noCodes;
  const [first] = codes;
  if (first === undefined) return `<faultcode>soap:${code}</faultcode>`;
  if (namespace === undefined) return `<faultcode>soap:${code}.${first}</faultcode>`;
  return `<faultcode${declaredPrefix(namespace)}${first}</faultcode>`;
}

/** Each within the one before, and each a name (SOAP 1.2, section 5.4.1.3). */
function subcodes(problem: Problem): string {
  const { namespace = '', codes } = problem.faultCode ?? noCodes;
  const names = codes.filter((each) => /^[\p{L}_]/u.test(each));
  return names.reduceRight(
    (inner, code) => `<env:Subcode><env:Value${declaredPrefix(namespace)}${code}</env:Value>${inner}</env:Subcode>`,
    '',
  );
}

/** The end of a start tag, and the prefix of a name in the namespace. */
function declaredPrefix(namespace: string): string {
  return namespace === '' ? '>' : ` xmlns:c="${escapeXmlAttribute(namespace)}">c:`;
}

/** The two fault codes that SOAP prescribes. The dialect chooses all others. */
function prescribedCode({ problem }: Problem): string | undefined {
  if (problem === 'mustUnderstand') return 'MustUnderstand';
  return problem === 'versionMismatch' ? 'VersionMismatch' : undefined;
}

function actionStyle(header: string | undefined): string {
  if (header === undefined) return 'SOAPAction absent';
  if (header === '' || header === '""') return 'SOAPAction empty';
  return header.startsWith('"') ? 'SOAPAction quoted' : 'SOAPAction unquoted';
}
