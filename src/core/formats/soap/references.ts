/**
 * Resolves references within a message: encoded stubs write an element once, with an `id`, and refer to it with `href` (SOAP 1.1,
 * section 5) or with `enc:ref` (SOAP 1.2).
 */
import { attribute, type Element, isBlank, type Limits } from '../../xml/index.ts';
import { malformedBody } from '../malformed-body.ts';

/**
 * The message of a Body: its one child, or the one without an `id` beside elements that the message refers to. A message without
 * references stays as it is.
 */
export function messageOf(body: Element, within: SizeLimits): Element {
  const [first, ...others] = body.children;
  if (first === undefined || !isBlank(body.text)) throw malformedBody('Body is not one element');
  if (others.length === 0)
    return hasReference(first, within.keepsHref) ? new Resolver(body, within).resolve(first) : first;
  const [message, ...more] = body.children.filter((each) => idOf(each) === undefined);
  if (message === undefined || more.length > 0) throw malformedBody('Body is not one element');
  return new Resolver(body, within).resolve(message);
}

/** A resolved message may be no larger than a message without references. */
export interface SizeLimits {
  /** Whether `href` is an attribute of the contract, and no reference. */
  readonly keepsHref?: boolean;
  readonly elementsMax: number;
  readonly charactersMax: number;
  readonly depthMax: number;
}

/** For a message within the limits of its document. */
export function sizeLimits({ elementsMax, textLengthMax, depthMax }: Limits, keepsHref: boolean): SizeLimits {
  return { keepsHref, elementsMax, charactersMax: 2 * textLengthMax, depthMax };
}

/** Every step counts, so cycles, deep chains and references to references end at a limit. */
class Resolver {
  readonly #body: Element;
  readonly #within: SizeLimits;
  readonly #targets = new Map<string, Element>();
  readonly #used = new Set<string>();
  #elements = 0;
  #characters = 0;

  constructor(body: Element, within: SizeLimits) {
    this.#body = body;
    this.#within = within;
    this.#collect(body);
  }

  resolve(message: Element): Element {
    // The message stands below the Envelope and the Body.
    const resolved = this.#resolve(message, message, 3);
    for (const each of this.#body.children)
      if (each !== message && !this.#used.has(idOf(each)!)) throw malformedBody('element without a reference to it');
    return resolved;
  }

  #collect(element: Element): void {
    const id = idOf(element);
    if (id !== undefined) {
      if (this.#targets.has(id)) throw malformedBody('id stands twice');
      this.#targets.set(id, element);
    }
    for (const each of element.children) this.#collect(each);
  }

  /** `named`: the element that keeps its name; its content is that of `element`. */
  #resolve(named: Element, element: Element, depth: number): Element {
    this.#elements += 1;
    if (this.#elements > this.#within.elementsMax) throw malformedBody('too many elements');
    if (depth > this.#within.depthMax) throw malformedBody('too deep');
    const id = referenceOf(element, this.#within.keepsHref);
    if (id !== undefined) return this.#resolve(named, this.#targetOf(id), depth + 1);
    const { attributes, text } = element;
    this.#characters += text.length;
    if (this.#characters > this.#within.charactersMax) throw malformedBody('text too long');
    const children = element.children.map((each) => this.#resolve(each, each, depth + 1));
    const { place, attached, scope } = element;
    const resolved = { namespace: named.namespace, local: named.local, attributes, children, text, scope };
    return { ...resolved, ...(place !== undefined && { place }), ...(attached !== undefined && { attached }) };
  }

  #targetOf(id: string): Element {
    const target = this.#targets.get(id);
    if (target === undefined) throw malformedBody('reference to no element');
    this.#used.add(id);
    // The `id` is for references. It is no field.
    return {
      ...target,
      attributes: target.attributes.filter(({ namespace, local }) => namespace !== '' || local !== 'id'),
    };
  }
}

/** The `id` to which an element refers. Its content is elsewhere, so it may have none of its own. */
function referenceOf(element: Element, keepsHref = false): string | undefined {
  if (element.attributes.length === 0) return undefined;
  const isEmpty = element.children.length === 0 && isBlank(element.text);
  const ref = attribute(element, encoding12, 'ref');
  const href = keepsHref ? undefined : attribute(element, '', 'href');
  const id = ref ?? (href?.startsWith('#') ? href.slice(1) : undefined);
  // A link to another place means nothing, except on an element whose content would be there.
  if (id === undefined && href !== undefined && isEmpty) throw malformedBody('reference out of the message');
  if (id !== undefined && !isEmpty) throw malformedBody('reference with content');
  return id;
}

const encoding12 = 'http://www.w3.org/2003/05/soap-encoding';

/** Unqualified attributes that encoded stubs add to any element. */
export const referenceAttributes: readonly string[] = Object.freeze(['id', 'href']);

function idOf(element: Element): string | undefined {
  if (element.attributes.length === 0) return undefined;
  return attribute(element, '', 'id') ?? attribute(element, encoding12, 'id');
}

function hasReference(element: Element, keepsHref: boolean | undefined): boolean {
  return (
    referenceOf(element, keepsHref) !== undefined || element.children.some((each) => hasReference(each, keepsHref))
  );
}
