/** Reads faults of other servers: those with our own text, and those of other makers. */
import {
  elementName,
  type FaultCode,
  type Field,
  type ListSchema,
  type ObjectSchema,
  type Operation,
  type Path,
  type Schema,
  type Step,
} from '../../contract/index.ts';
import { type Element, isBlank, resolvePrefix, serialize } from '../../xml/index.ts';
import type { Faults } from '../faults.ts';
import type { Refusal } from '../protocol.ts';
import { defaultMessage, fieldOf, issuesMax, type NameOf, parseErrorLine, refusalOf, textOf } from '../refusal.ts';
import { readInvalidFields } from './invalid-fields.ts';
import type { IsOfInterface } from './read.ts';

/** What both versions of SOAP say of a fault. */
interface Fault {
  /** Without its prefix: `Client`, `Server.Busy`. */
  readonly code: string;
  readonly subcode: string | undefined;
  /** What the application calls it, as it is written. */
  readonly own: FaultCode;
  readonly text: string | undefined;
  readonly detail: Element | undefined;
}

/** What a fault is read by. `part`: the element between that of the operation and its fields. */
interface FaultContext {
  readonly operation: Operation;
  readonly part: string | undefined;
  readonly isOfInterface: IsOfInterface;
  readonly faults: Faults<Element>;
}

export function decodeFault(
  element: Element,
  status: number,
  { operation, part, isOfInterface, faults }: FaultContext,
): Refusal {
  const fault = faultIn(element);
  const line = fault.text === undefined ? undefined : parseErrorLine(fault.text);
  if (line !== undefined) {
    const around = [elementName(operation, 'input'), part].filter((name) => name !== undefined);
    const fields = readInvalidFields(fault.detail).slice(0, issuesMax);
    const issues = fields.map(({ name, message }) => ({ path: pathOf(name, around, operation.input), message }));
    return refusalOf(line, status, issues);
  }
  const code = customCode(fault);
  const message = fault.text ?? textIn(fault.detail, messageNames) ?? defaultMessage(status);
  const blamesSender = /^(?:Client|Sender)\b/.test(fault.code);
  const blamesReceiver = /^(?:Server|Receiver)\b/.test(fault.code);
  const elements = fault.detail?.children ?? [];
  const named = elements.find((each) => operation.faults?.some(({ element: name }) => name === each.local));
  const declared = named && faults.read(operation, named.local, named);
  // An application that names its own code or its own element has decided to refuse.
  const isDeclared = declared !== undefined || code !== undefined || elements.some(isOfInterface);
  const isUnread = /^(?:MustUnderstand|VersionMismatch|DataEncodingUnknown)\b/.test(fault.code);
  const isRefused = blamesSender || isDeclared || isUnread;
  return {
    // Faults of any kind have these.
    ...(status <= 400 || status === 500 ? { status: statusOf(fault, isRefused), isStatusImplied: true } : { status }),
    ...(code !== undefined && { code }),
    type: isUnread ? 'configuration' : isRefused ? 'validation' : 'internal',
    message,
    issues: [],
    faultCode: fault.own,
    ...declared,
    // Data that break the contract are XML, as those of an element that is not declared.
    ...undeclaredIn(fault.detail, declared?.fault.value === undefined ? undefined : named),
    ...(!isRefused && blamesReceiver && { isUndeclared: true }),
  };
}

/** Of the elements in the detail of a fault whose request may be sent again. */
export const retryNamespace = 'urn:triglyph:retry';

/** More is left out as a whole: the refusal is complete without it. */
const detailLengthMax = 8_192;

/**
 * What stacks add about their failure, such as stack traces. It says nothing to callers, and much of the server. What a gateway says of
 * retries is for its own caller.
 */
const ofStacks: ReadonlySet<string> = new Set([
  retryNamespace,
  'http://jax-ws.dev.java.net/',
  'http://xml.apache.org/axis/',
  'http://cxf.apache.org/fault',
  'http://schemas.microsoft.com/net/2005/12/windowscommunicationfoundation/dispatcher',
  'http://schemas.datacontract.org/2004/07/System.ServiceModel',
]);

/** A line of a stack trace of Java or .NET, which Axis2 and others write as text. */
const stackLine = /(?:^|[\s>])at [\w$.<>&;]+\(.*\)/;

/** The elements of the detail but the declared one, as XML. */
function undeclaredIn(detail: Element | undefined, declared: Element | undefined): Pick<Refusal, 'detail'> {
  if (detail === undefined) return {};
  const isText = detail.children.length === 0 && !isBlank(detail.text);
  const others = isText
    ? [{ ...detail, namespace: '', local: 'detail', attributes: [] }]
    : detail.children.filter((each) => each !== declared && !ofStacks.has(each.namespace));
  if (others.length === 0) return {};
  const texts = others.map(serialize).filter((each) => !stackLine.test(each));
  if (texts.length === 0) return {};
  return texts.join('').length > detailLengthMax ? {} : { detail: texts };
}

/** By the class of the fault: the sender's, or the server's, also where the application has declared it. */
function statusOf({ code, subcode }: Fault, isRefused: boolean): number {
  if (isSecurityCode.test(code) || (subcode !== undefined && isSecurityCode.test(subcode))) return 401;
  return isRefused && !/^(?:Server|Receiver|MustUnderstand|VersionMismatch|DataEncodingUnknown)\b/.test(code)
    ? 422
    : 500;
}

/** The faults of WS-Security, section 12: the credential, or the signature, was not accepted. */
const isSecurityCode =
  /^(?:UnsupportedSecurityToken|UnsupportedAlgorithm|InvalidSecurity|InvalidSecurityToken|FailedAuthentication|FailedCheck|SecurityTokenUnavailable|MessageExpired)$/;

function faultIn(element: Element): Fault {
  const code = child(element, 'faultcode') ?? child(child(element, 'Code'), 'Value');
  const subcode = child(child(child(element, 'Code'), 'Subcode'), 'Value');
  const text = child(element, 'faultstring') ?? child(child(element, 'Reason'), 'Text');
  return {
    code: localName(code?.text),
    subcode: subcode && localName(subcode.text),
    own: ownCode(code, subcode),
    text: textOf(text?.text),
    detail: child(element, 'detail') ?? child(element, 'Detail'),
  };
}

/** The codes that SOAP prescribes say who is to blame. What follows their dot, and any other code, is the application's. */
function customCode({ code, subcode, detail }: Fault): string | undefined {
  if (subcode !== undefined && subcode !== '') return subcode;
  const [, own] = classes.exec(code) ?? ['', code];
  return textOf(own) ?? textIn(detail, codeNames);
}

const classes = /^(?:Client|Server|Sender|Receiver|VersionMismatch|MustUnderstand|DataEncodingUnknown)(?:\.(.+))?$/;

/** What can be written as a code again: a name, or a number. */
const codeLike = /^[\p{L}\p{N}_][\p{L}\p{N}._-]{0,127}$/u;

/** The code of `customCode` where it stands in the code of the fault. */
function ownCode(code: Element | undefined, subcode: Element | undefined): FaultCode {
  const element = subcode !== undefined && !isBlank(subcode.text) ? subcode : code;
  if (element === undefined) return { codes: [] };
  const [, prefix = '', local = ''] = /^([^:]*:)?(.*)$/s.exec(element.text.trim()) ?? [];
  const behindClass = element === subcode ? null : classes.exec(local);
  if (behindClass !== null) return { codes: [behindClass[1] ?? ''].filter((each) => codeLike.test(each)) };
  if (!codeLike.test(local)) return { codes: [] };
  return { namespace: resolvePrefix(element.scope, prefix.slice(0, -1)) ?? '', codes: [local] };
}

const codeNames = /^(?:error|fault)?code$/i;
const messageNames = /^(?:error|fault)?(?:message|string|description)$/i;

/** The text of the first element below with such a name. */
function textIn(element: Element | undefined, names: RegExp): string | undefined {
  for (const each of element?.children ?? []) {
    const found = names.test(each.local) ? textOf(each.text) : textIn(each, names);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `/Envelope/Body/disable/request/details/RecurringDetail[1]/@id`: items count from 1. `around`: the names before the fields. */
function pathOf(coordinates: string, around: readonly string[], input: ObjectSchema): Path {
  const below = coordinates.replace(/^\/Envelope\/Body\/?/, '').split('/');
  const start = around.findIndex((name, at) => below[at] !== name);
  const path: Step[] = [];
  let schema: Schema | undefined = input;
  for (const token of below.slice(start === -1 ? around.length : start)) {
    const [, name = token, index] = /^@?(.+?)(?:\[(\d{1,6})\])?$/.exec(token) ?? [];
    // An item of a repeated list has the name of the list, which has no element.
    if (schema?.kind !== 'list') {
      const [field, known]: readonly [string, Field?] =
        schema?.kind === 'object' ? fieldOf(schema, name, inXPath) : [name];
      path.push(field);
      schema = known?.schema ?? (schema?.kind === 'map' ? schema.item : undefined);
    }
    if (schema?.kind === 'list' && !schema.joined && index !== undefined) {
      const { itemName, wrapped, item }: ListSchema = schema;
      path.push({ index: Number(index) - 1, itemName, wrapped });
      schema = item;
    }
  }
  return path;
}

/** A field has the name of its element or of its attribute, or is the text. */
const inXPath: NameOf = (name, { xml }) => (xml === 'text' ? 'text()' : name);

function child(element: Element | undefined, local: string): Element | undefined {
  return element?.children.find((each) => each.local === local);
}

function localName(text = ''): string {
  return text.trim().replace(/^[^:]*:/, '');
}
