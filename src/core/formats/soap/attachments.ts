/** Reads what a message has beside its envelope: the bytes to which elements refer, and those of fields that are parts of their own. */
import { attachedFieldsOf, type ObjectSchema } from '../../contract/index.ts';
import { decodeComponent } from '../../lib/index.ts';
import { attribute, type Element, isBlank } from '../../xml/index.ts';
import { malformedBody } from '../malformed-body.ts';
import { printableId } from '../multipart.ts';
import { type Attachment, type Attachments, absoluteUrl, lengthOf } from '../related.ts';
import { empty, type ParseXml } from './parse.ts';

export const xopUri = 'http://www.w3.org/2004/08/xop/include';

/** The parts of one message while it is read. Nothing in a part is read as a reference. */
export class ReceivedParts {
  readonly #byId: ReadonlyMap<string, Attachment>;
  /** Those with a Content-Location of their own, by its URL. */
  readonly #byLocation: ReadonlyMap<string, Attachment | 'several'>;
  readonly #base: string;
  readonly #unread: Set<Attachment>;
  /** Those that a text is a URL of. */
  readonly #mentioned = new Set<Attachment>();
  /** Several elements may refer to one part. What they hold together has this many bytes at most. */
  #bytesLeft: number;

  constructor({ parts, base, bodyLength }: Attachments) {
    const located = Map.groupBy(parts, ({ location }) => location);
    located.delete('');
    this.#byLocation = new Map(
      [...located].map(([location, [first, ...others]]) => [location, others.length > 0 ? 'several' : first!]),
    );
    this.#base = base;
    this.#byId = new Map(parts.filter(({ contentId }) => contentId !== '').map((each) => [each.contentId, each]));
    this.#unread = new Set(parts);
    this.#bytesLeft = 2 * bodyLength;
  }

  /**
   * The element with the bytes in the place of what refers to them: `xop:Include` (XOP), `href` of an element without content
   * (SOAP with Attachments; by Content-ID, or by Content-Location), or a text that is a URL of a part (swaRef), where its field holds bytes. Throws a Problem.
   */
  resolve(element: Element): Element {
    const [include] = element.children;
    if (include !== undefined && isInclude(include)) {
      if (element.children.length > 1 || !isBlank(element.text)) throw malformedBody('Include beside content');
      return { ...element, children: [], text: '', attached: this.#open(attribute(include, '', 'href') ?? '') };
    }
    const isLeaf = include === undefined && isBlank(element.text);
    const href = isLeaf ? attribute(element, '', 'href') : undefined;
    if (href !== undefined && (isUrl(href) || this.#isLocation(href))) {
      const attributes = element.attributes.filter(({ namespace, local }) => namespace !== '' || local !== 'href');
      return { ...element, attributes, text: '', attached: this.#open(href) };
    }
    if (include === undefined) {
      const part = isUrl(element.text) ? this.#find(element.text) : undefined;
      if (part === undefined) return element;
      this.#mentioned.add(part);
      return { ...element, attached: () => this.#read(part)() };
    }
    const children = element.children.map((each) => this.resolve(each));
    return children.some((each, at) => each !== element.children[at]) ? { ...element, children } : element;
  }

  /**
   * The fields of a message with those that are parts of their own: the part whose Content-ID begins with the name of the field
   * (WS-I Attachments Profile 1.0, R2933), or else, in their order, those to which nothing refers.
   */
  join(fields: Element, schema: ObjectSchema): Element {
    const names = attachedFieldsOf(schema).filter((name) => !fields.children.some(({ local }) => local === name));
    if (names.length === 0) return fields;
    const named = new Map(
      names.map((name) => [name, [...this.#unread].find(({ contentId }) => fieldIn(contentId) === name)] as const),
    );
    const taken = new Set(named.values());
    const others = [...this.#unread].filter((each) => !taken.has(each) && !this.#mentioned.has(each));
    const children = names.flatMap((local) => {
      const part = named.get(local) ?? others.shift();
      return part === undefined ? [] : [{ ...empty, local, attached: this.#read(part) }];
    });
    return { ...fields, children: [...fields.children, ...children] };
  }

  /** Throws a Problem for a part that no element and no field has: it would be lost. */
  requireAllRead(): void {
    const [lost] = this.#unread;
    if (lost !== undefined)
      throw malformedBody('attachment without a reference to it', printableId(lost.contentId) || '?');
  }

  #open(href: string): () => string {
    const part = this.#find(href);
    if (part === undefined) throw malformedBody('reference to no attachment', printableId(idIn(href)));
    return this.#read(part);
  }

  /** Whether a reference is the Content-Location of a part. One within the message (`#id1`) never is. */
  #isLocation(href: string): boolean {
    return this.#byLocation.size > 0 && !href.startsWith('#') && this.#byLocation.has(absoluteUrl(href, this.#base));
  }

  /** Some senders encode the Content-ID in a URL, and some do not. */
  #find(url: string): Attachment | undefined {
    if (!isUrl(url)) {
      const found = this.#isLocation(url) ? this.#byLocation.get(absoluteUrl(url, this.#base)) : undefined;
      if (found === 'several') throw malformedBody('Content-Location stands twice');
      return found;
    }
    return this.#byId.get(idIn(url)) ?? this.#byId.get(decodeComponent(idIn(url)));
  }

  #read(part: Attachment): () => string {
    this.#unread.delete(part);
    this.#bytesLeft -= lengthOf(part);
    if (this.#bytesLeft < 0) throw malformedBody('attachments too large');
    return () => part.spooled?.token ?? part.bytes.toString('base64');
  }
}

/** The parsing of a document whose elements may refer to parts beside it. */
export function withParts(parseXml: ParseXml, received: ReceivedParts | undefined): ParseXml {
  return received === undefined ? parseXml : (text, within) => received.resolve(parseXml(text, within));
}

function isInclude({ namespace, local }: Element): boolean {
  return namespace === xopUri && local === 'Include';
}

/** A URL of a part (RFC 2392). */
function isUrl(text: string): boolean {
  return /^\s*cid:/i.test(text);
}

/** The Content-ID that a URL names, as it is written there. */
function idIn(url: string): string {
  return url.trim().replace(/^cid:/i, '');
}

/** The name of the field in a Content-ID such as `photo=5f3a@example.org`. */
function fieldIn(contentId: string): string {
  return decodeComponent(contentId.slice(0, Math.max(0, contentId.indexOf('='))));
}
