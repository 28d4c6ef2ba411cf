/** Opens responses of other servers in SOAP 1.1 and SOAP 1.2, whichever was asked for. */
import { elementName, hasHref, holdsContent, type ObjectSchema, type Operation } from '../../contract/index.ts';
import { charsetIn } from '../../lib/index.ts';
import { type Element, isBlank, type Limits, withoutLayout } from '../../xml/index.ts';
import { malformedBody } from '../malformed-body.ts';
import { multipartType, readRelated } from '../multipart.ts';
import type { Reply } from '../protocol.ts';
import { ReceivedParts, withParts } from './attachments.ts';
import { dialect11, dialect12 } from './dialect.ts';
import { empty, type ParseXml, parseRoot, responseLimits } from './parse.ts';
import { isNil } from './read.ts';
import { messageOf, type SizeLimits } from './references.ts';

const envelopes: readonly string[] = [dialect11.envelope, dialect12.envelope];

const faultLimits: SizeLimits = {
  elementsMax: responseLimits.elementsMax,
  charactersMax: 4_000_000,
  depthMax: responseLimits.depthMax,
};

/** The element in the Body of a response, with its references resolved, and its header. */
interface OpenedReply {
  readonly message: Element;
  readonly header: Element | undefined;
  /** What it came with. */
  readonly received: ReceivedParts | undefined;
}

/** Throws a Problem for no envelope. Gives the Body itself for a message whose fields are its elements. */
export function openReply(operation: Operation, reply: Reply, parseXml: ParseXml, within: Limits): OpenedReply {
  const { body, header, received } = partsOf(reply, parseXml, within);
  const isFault = body.children[0]?.local === 'Fault';
  const isBody = elementName(operation, 'output') === '' && !isFault;
  return {
    message: isBody
      ? body
      : messageOf(body, {
          ...faultLimits,
          charactersMax: Math.max(faultLimits.charactersMax, 2 * within.textLengthMax),
          keepsHref: hasHref(operation.output),
        }),
    header,
    received,
  };
}

function partsOf({ media, headers, body }: Reply, parseXml: ParseXml, within: Limits) {
  const related = media.type === multipartType ? readRelated(body, headers['content-type'] ?? '') : undefined;
  const charset = related === undefined ? media.charset : charsetIn(related.contentType);
  const received = related && new ReceivedParts(related.attachments);
  const bytes = withoutLayout(related?.body ?? body);
  const root = parseRoot(bytes, charset, withParts(parseXml, received), within);
  if (root.local !== 'Envelope' || !envelopes.includes(root.namespace)) throw malformedBody('root is no Envelope');
  const found = root.children.find(({ local, namespace }) => local === 'Body' && namespace === root.namespace);
  if (found === undefined) throw malformedBody('Envelope without a Body');
  const header = root.children.find(({ local, namespace }) => local === 'Header' && namespace === root.namespace);
  return { body: found, header, received };
}

/** The Fault of a response; undefined for any other response. */
export function openFault(reply: Reply, parseXml: ParseXml): Element | undefined {
  try {
    const first = messageOf(partsOf(reply, parseXml, responseLimits).body, faultLimits);
    return first.local === 'Fault' ? first : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The element that holds the fields: that of the operation, or one below it. Servers call that one `result`, `return` or
 * `disableResult`. `part`: its name in our own messages, which a field may have, too.
 */
export function fieldsIn(message: Element, schema: ObjectSchema, part: string | undefined): Element {
  const { fields, anyField, variants } = schema;
  if (isNil(message)) return empty;
  // An element of any name is a field, and other types have other fields.
  if (anyField !== undefined || variants !== undefined || holdsContent(schema)) return message;
  const [inner, ...others] = message.children;
  if (inner === undefined || others.length > 0) return message;
  if (inner.local !== part && (Object.hasOwn(fields, inner.local) || !isBlank(inner.text))) return message;
  return isNil(inner) ? empty : inner;
}
