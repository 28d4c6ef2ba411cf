/** Parses bytes to the message in a SOAP envelope, and checks the envelope. */
import type { Buffer } from 'node:buffer';
import {
  compileRead,
  describe,
  keyHeader,
  manyMembersMax,
  meansKey,
  Problem,
  type SentKey,
} from '../../contract/index.ts';
import type { Charset } from '../../lib/index.ts';
import {
  attribute,
  decodeXml,
  type Element,
  isBlank,
  type Limits,
  limits,
  Malformed,
  type Position,
  parse as parsePlain,
  parseWithPlaces,
  UnknownEncoding,
  Unreadable,
} from '../../xml/index.ts';
import { bodyCharsets } from '../body-text.ts';
import { malformedBody } from '../malformed-body.ts';
import { type FormatContext, OtherFormat } from '../protocol.ts';
import { unsupportedMedia } from '../unsupported-media.ts';
import { checkAddressing, understandsAddressing } from './addressing.ts';
import { type Dialect, dialect11, dialect12 } from './dialect.ts';
import { type IsOfInterface, isNil, isTrue } from './read.ts';

interface Envelope {
  readonly body: Element;
  readonly header: Element | undefined;
}

interface RequestEnvelope extends Envelope {
  /** The Idempotency-Key: a block of that name, or the identifier that the sender gave the message (WS-Addressing). */
  readonly key: SentKey | undefined;
  readonly hasBlanks: boolean;
}

/** Whether the operation that a Body names understands a header block. */
export type UnderstandsBlock = (body: Element, block: Element) => boolean;

interface RequestParts {
  readonly dialect: Dialect;
  readonly parseXml: ParseXml;
  /** Whether blanks may stand before the XML declaration. */
  readonly acceptsBlanks: boolean;
  readonly within: Limits;
  readonly understands: UnderstandsBlock;
  /** Called with the blocks for this receiver, before any is refused. */
  readonly onHeader: (blocks: readonly Element[]) => void;
}

/** How the text of a document is parsed. */
export type ParseXml = (text: string, within: Limits) => Element;

/** Elements have places where another walk than the usual one sees them. */
export function parserFor(context: Pick<FormatContext, 'compileRead'>): ParseXml {
  return context.compileRead === compileRead ? parsePlain : (text, within) => parseWithPlaces(text, within).root;
}

/** Throws a Problem for anything but an optional Header and a Body with one child, and OtherFormat for the other version. */
export function parse(
  body: Buffer,
  charset: Charset | undefined,
  { dialect, parseXml, acceptsBlanks, within, understands, onHeader }: RequestParts,
): RequestEnvelope {
  let hasBlanks = false;
  const parseText: ParseXml = (text, limits) => {
    const plain = acceptsBlanks ? withoutDeclaration(text) : text;
    hasBlanks = plain !== text;
    return parseXml(plain, limits);
  };
  const envelope = openEnvelope(parseRoot(body, charset, parseText, within), dialect);
  const blocks = envelope.header?.children.filter((each) => isForUs(each, dialect)) ?? [];
  onHeader(blocks);
  checkAddressing(blocks);
  const understood = (block: Element) => understands(envelope.body, block);
  const key = blockOfKey(blocks, understood);
  refuseUnknownHeaders(blocks, dialect, (block) => block === key || understood(block));
  return { ...envelope, key: keyIn(key, blocks), hasBlanks };
}

const declarationBehindBlanks = /^[\t\n\r ]+<\?xml[\t\n\r ]+version[\t\n\r ]*=[\t\n\r ]*(["'])1\.0\1[^<>?]*\?>/;

/** A text with blanks before its XML declaration, and blanks for the declaration, so that all places in it stay the same. */
function withoutDeclaration(text: string): string {
  if (text.startsWith('<')) return text;
  return text.replace(declarationBehindBlanks, (found) => found.replace(/[^\t\n\r]/g, ' '));
}

/** Parses a document. Throws a Problem. */
export function parseRoot(body: Buffer, charset: Charset | undefined, parseXml: ParseXml, within: Limits): Element {
  try {
    return parseXml(decodeXml(body, charset), within);
  } catch (thrown) {
    if (thrown instanceof UnknownEncoding)
      throw unsupportedMedia('encoding', [...bodyCharsets, 'utf-16'], { reason: 'encoding' });
    if (thrown instanceof Unreadable)
      throw malformedBody(thrown.message, thrown.byte === undefined ? undefined : `byte ${thrown.byte}`);
    if (thrown instanceof Malformed) throw malformedBody(thrown.reason, thrown.position && placeOf(thrown.position));
    throw thrown;
  }
}

function placeOf({ line, column }: Position): string {
  return `line ${line}, column ${column}`;
}

/** The limits for a document with bytes in base64 of so many characters. */
export function limitsFor(characters: number, of: Limits): Limits {
  return characters > of.textLengthMax ? { ...of, textLengthMax: characters } : of;
}

/** For requests with long lists. Stubs of Java declare each namespace that they know in the first element. */
export const longRequestLimits: Limits = Object.freeze({
  ...limits,
  elementsMax: manyMembersMax,
  attributesMax: 256,
  allAttributesMax: 2 * manyMembersMax,
});

/** A response may be larger than what a caller may send. */
export const responseLimits: Limits = Object.freeze({
  ...limits,
  depthMax: 100,
  elementsMax: 250_000,
  attributesMax: 256,
  allAttributesMax: 500_000,
  textLengthMax: 1_000_000,
});

/**
 * The only child of `<disable>`, which must be called `request` (or `result`). No child, or a nil one, is an empty one. Without a
 * name, the element of the operation itself.
 */
export function unwrap(message: Element, name: string | undefined, isOfInterface: IsOfInterface): Element {
  if (name === undefined) return message;
  const [inner, ...rest] = message.children;
  if (inner === undefined && isBlank(message.text) && message.attached === undefined) return emptyAt(message);
  if (inner?.local !== name || rest.length > 0 || !isBlank(message.text)) throw malformedBody(`not one ${name}`);
  if (!isOfInterface(inner)) throw malformedBody('wrong namespace', name);
  return isNil(inner) ? emptyAt(inner) : inner;
}

function emptyAt({ place }: Element): Element {
  return place === undefined ? empty : { ...empty, place };
}

export const empty: Element = Object.freeze({
  namespace: '',
  local: 'request',
  attributes: [],
  children: [],
  text: '',
});

const dialects: readonly Dialect[] = [dialect11, dialect12];

/** SOAP 1.1, section 4.4, and SOAP 1.2, section 5.4.7, prescribe the code. */
function unknownVersion(): Problem {
  const reason = 'wrong namespace';
  return new Problem('versionMismatch', `${describe('versionMismatch')}: ${reason}, Envelope`, { reason });
}

/** Throws a Problem for anything but an optional Header and a Body, and OtherFormat for the other version. */
export function openEnvelope(root: Element, dialect: Dialect): Envelope {
  if (root.local !== 'Envelope') throw malformedBody('root is no Envelope');
  if (root.namespace !== dialect.envelope) {
    const other = dialects.find(({ envelope }) => envelope === root.namespace);
    throw other === undefined ? unknownVersion() : new OtherFormat(other.format);
  }
  if (!isBlank(root.text)) throw malformedBody('text in the Envelope');

  const foreign = root.children.find(
    ({ local, namespace }) => ['Header', 'Body'].includes(local) && namespace !== dialect.envelope,
  );
  if (foreign !== undefined) throw malformedBody('wrong namespace', foreign.local);
  const parts = root.children.filter((each) => each.namespace === dialect.envelope);
  const header = parts[0]?.local === 'Header' ? parts[0] : undefined;
  const [body, ...rest] = header === undefined ? parts : parts.slice(1);
  if (body?.local !== 'Body' || rest.length > 0 || parts.length !== root.children.length)
    throw malformedBody('Envelope is not one Header and one Body');
  return { body, header };
}

/** A block without a role is for the last receiver, which this server is. */
function isForUs(block: Element, dialect: Dialect): boolean {
  const role = attribute(block, dialect.envelope, dialect.roleAttribute);
  return role === undefined || role === '' || role === dialect.nextRole || role.endsWith('/role/ultimateReceiver');
}

function refuseUnknownHeaders(
  blocks: readonly Element[],
  dialect: Dialect,
  understands: (block: Element) => boolean,
): void {
  if (blocks.some((each) => mustBeUnderstood(each, dialect) && !understands(each))) throw new Problem('mustUnderstand');
}

/** The names of the blocks of an answer, in either version of SOAP, that must be understood and are not: `{urn:example}Lock`. */
export function notUnderstood(
  header: Element | undefined,
  understands: (block: Element) => boolean,
): readonly string[] {
  const dialect = dialects.find(({ envelope }) => envelope === header?.namespace);
  if (header === undefined || dialect === undefined) return [];
  return header.children
    .filter((each) => isForUs(each, dialect) && mustBeUnderstood(each, dialect) && !understands(each))
    .map(({ namespace, local }) => `{${namespace}}${local}`);
}

function mustBeUnderstood(block: Element, dialect: Dialect): boolean {
  return isTrue(attribute(block, dialect.envelope, 'mustUnderstand')) && !understandsAddressing(block);
}

/** A block that is called as the Idempotency-Key, where the operation has no header of this name. */
function blockOfKey(blocks: readonly Element[], understood: (block: Element) => boolean): Element | undefined {
  const [found, ...others] = blocks.filter((block) => meansKey(block.local) && !understood(block));
  if (others.length > 0) throw malformedBody(`two header blocks with an ${keyHeader}`);
  return found;
}

function keyIn(block: Element | undefined, blocks: readonly Element[]): SentKey | undefined {
  if (block !== undefined) return { text: block.text.trim(), place: `${block.local} in the SOAP header` };
  const found = blocks.find((each) => each.local === 'MessageID' && understandsAddressing(each));
  const text = found?.text.trim();
  return text === undefined || text === '' ? undefined : { text, place: 'MessageID', isMessageId: true };
}
