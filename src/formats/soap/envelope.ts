/** The envelope: what may stand in it, and which single element is the message. */
import { Problem } from '../../contract/problem.ts';
import { attribute, type Element } from '../../xml/element.ts';
import { malformedBody } from '../malformed-body.ts';
import { type Dialect, soap11, soap12 } from './dialect.ts';

const xsi = 'http://www.w3.org/2001/XMLSchema-instance';

/** Headers of these are understood: the message's identifier is an Idempotency-Key, and the others ask nothing of us. */
const addressing: ReadonlySet<string> = new Set([
  'http://www.w3.org/2005/08/addressing',
  'http://schemas.xmlsoap.org/ws/2004/08/addressing',
]);

const isTrue = (text: string | undefined): boolean => text === '1' || text === 'true';

const refuseUnknownHeaders = (header: Element, dialect: Dialect): void => {
  for (const block of header.children) {
    if (addressing.has(block.namespace) || !isTrue(attribute(block, dialect.envelope, 'mustUnderstand'))) continue;
    const role = attribute(block, dialect.envelope, dialect.roleAttribute);
    if (role === undefined || role === dialect.nextRole || role.endsWith('/role/ultimateReceiver'))
      throw new Problem('mustUnderstand');
  }
};

export const isBlank = (text: string): boolean => text.trim() === '';

/** The identifier that the sender's stack gave the message (WS-Addressing 1.0, and the submission before it). */
const messageIdOf = (header: Element): string | undefined => {
  const ids = header.children.filter(({ local, namespace }) => local === 'MessageID' && addressing.has(namespace));
  if (ids.length > 1) throw malformedBody('two MessageIDs');
  return ids[0]?.text.trim() || undefined;
};

export interface Opened {
  /** The one child of the Body. */
  readonly message: Element;
  readonly messageId: string | undefined;
}

/** Throws a Problem for any envelope that is not one optional Header and a Body with one child. */
export const openEnvelope = (root: Element, dialect: Dialect): Opened => {
  if (root.local !== 'Envelope') throw malformedBody('root is no Envelope');
  if (root.namespace !== dialect.envelope)
    throw root.namespace === soap11.envelope || root.namespace === soap12.envelope
      ? new Problem('versionMismatch')
      : malformedBody('unknown envelope');
  if (!isBlank(root.text)) throw malformedBody('text in the Envelope');

  const parts = root.children.filter((each) => each.namespace === dialect.envelope);
  const header = parts[0]?.local === 'Header' ? parts[0] : undefined;
  const [body, ...rest] = header === undefined ? parts : parts.slice(1);
  if (body?.local !== 'Body' || rest.length > 0 || parts.length !== root.children.length)
    throw malformedBody('Envelope is not one Header and one Body');
  if (header !== undefined) refuseUnknownHeaders(header, dialect);

  const [message, ...others] = body.children;
  if (message === undefined || others.length > 0 || !isBlank(body.text)) throw malformedBody('Body is not one element');
  return { message, messageId: header && messageIdOf(header) };
};

/** xsi:nil: the same as not being there; so it may not hold anything, or what it holds would be lost in silence. */
export const isNil = (element: Element): boolean => {
  if (element.attributes.length === 0 || !isTrue(attribute(element, xsi, 'nil'))) return false;
  if (element.children.length > 0 || element.text !== '') throw malformedBody('nil with content');
  return true;
};

/** The local name of xsi:type, where one is given. */
export const typeName = (element: Element): string | undefined =>
  element.attributes.length === 0 ? undefined : attribute(element, xsi, 'type')?.replace(/^.*:/, '');
