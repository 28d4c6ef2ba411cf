/** Loads an OpenAPI document with the documents that it refers to, within limits, and follows references between them. */
import { isAlias, LineCounter, parseDocument, visit } from 'yaml';
import { decodeComponent, escapeUnprintable } from '../../core/lib/index.ts';
import { PartRefused } from '../findings.ts';
import { describeOtherKind } from '../kind-of-document.ts';
import { createReading, nameOfLocation, type Reading, type ReadingOptions, Unread } from '../wsdl/read-location.ts';
import { indentQuoted } from './indent-quoted.ts';

/** A value in a document, and where it is. */
export interface Node {
  readonly value: unknown;
  readonly url: string;
  /** A JSON pointer (RFC 6901). */
  readonly pointer: string;
}

/** Names a node: `https://pets.example/api.yaml#/components/schemas/Pet`. */
export function keyOf({ url, pointer }: Node): string {
  return `${url}#${pointer}`;
}

/** The nearest part that can do without the node is left out. */
export class Refused extends PartRefused<Node> {
  override readonly name = 'Refused';
}

/** All documents together. */
const documentsMax = 5_000;
const valuesMax = 1_000_000;
const depthMax = 200;
/** Of one document of YAML: an alias may stand for much. */
const aliasesMax = 1_000;
const referencesMax = 50;

export class OpenApiDocuments {
  readonly #roots: ReadonlyMap<string, unknown>;
  /** Why documents that references name were not read. */
  readonly #unread: ReadonlyMap<string, string>;
  readonly root: Node;
  /** Is told of members that lead nowhere. */
  onLost: (refused: Refused) => void = () => {};

  constructor(roots: ReadonlyMap<string, unknown>, first: string, unread: ReadonlyMap<string, string> = new Map()) {
    this.#roots = roots;
    this.#unread = unread;
    this.root = { value: roots.get(first), url: first, pointer: '' };
  }

  /** A member of an object or an item, behind its references; undefined where it is absent. Throws Refused. */
  member(node: Node, name: string | number): Node | undefined {
    const { value } = node;
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    const found = (value as Readonly<Record<string, unknown>>)[name];
    return this.follow({ value: found, url: node.url, pointer: `${node.pointer}/${escapeToken(String(name))}` });
  }

  /** The members of an object, or the items of an array, behind their references. What leads nowhere is left out. */
  members(node: Node | undefined): readonly (readonly [name: string, node: Node])[] {
    if (node === undefined || typeof node.value !== 'object' || node.value === null) return [];
    return Object.keys(node.value).flatMap((name) => {
      try {
        const found = this.member(node, name);
        return found === undefined ? [] : [[name, found] as const];
      } catch (thrown) {
        if (!(thrown instanceof Refused)) throw thrown;
        this.onLost(thrown);
        return [];
      }
    });
  }

  /** What a reference leads to. Throws Refused for one that leads nowhere, or in a circle. */
  follow(start: Node): Node {
    let node = start;
    for (let count = 0; count < referencesMax; count++) {
      const reference = referenceIn(node.value);
      if (reference === undefined) return node;
      const [file = '', pointer = ''] = reference.split('#', 2);
      const url = file === '' ? node.url : (join(file, node.url) ?? '');
      // Some documents write names as they are, and not encoded for a URL.
      const found = this.#at(url, decodeComponent(pointer)) ?? this.#at(url, pointer);
      if (found === undefined) throw new Refused(start, this.#unread.get(url) ?? `${reference} leads nowhere`);
      node = found;
    }
    throw new Refused(start, 'a reference leads in a circle');
  }

  #at(url: string, pointer: string): Node | undefined {
    let value = this.#roots.get(url);
    if (value === undefined) return undefined;
    const tokens = pointer.split('/').slice(1);
    for (const token of tokens) {
      const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
      value = (value as Readonly<Record<string, unknown>>)[name];
    }
    return { value, url, pointer: tokens.map((token) => `/${token}`).join('') };
  }

  /** `petstore.yaml#/paths/~1pets/get`, on one line. */
  placeOf({ url, pointer }: Node): string {
    return escapeUnprintable(`${nameOfLocation(url, this.root.url) || url}#${pointer}`);
  }
}

function escapeToken(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function referenceIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, '$ref')) return undefined;
  const { $ref } = value as { readonly $ref: unknown };
  return typeof $ref === 'string' ? $ref : undefined;
}

function join(location: string, base: string): string | undefined {
  return URL.canParse(location, base) ? new URL(location, base).href : undefined;
}

/** `location`: a path, or a URL where the network is allowed; that of a page of Swagger UI or Redoc will do. Throws Unread. */
export async function loadOpenApi(location: string, options: ReadingOptions): Promise<OpenApiDocuments> {
  const reading = createReading(options);
  const { url: first, text } = await readFirst(await reading.resolve(location, undefined), reading);
  const counter: Counter = { seen: new Set(), values: 0 };
  const waiting: { readonly url: string; readonly base: string }[] = [];
  const roots = new Map<string, unknown>();
  const unread = new Map<string, string>();
  const add = (url: string, tree: unknown): void => {
    roots.set(url, tree);
    for (const file of filesIn(tree, counter, url)) {
      const other = join(file, url);
      if (other !== undefined && !roots.has(other)) waiting.push({ url: other, base: url });
    }
  };
  add(first, parseText(text, first));
  for (const { url, base } of waiting) {
    if (roots.has(url)) continue;
    if (roots.size >= documentsMax) throw new Unread(`more than ${documentsMax} documents`);
    try {
      const read = await reading.resolve(url, base);
      add(url, parseText(await readText(read, base, reading), read));
    } catch (thrown) {
      // The place of the reference has the reason.
      if (!(thrown instanceof Unread)) throw thrown;
      unread.set(url, thrown.message);
    }
  }
  return new OpenApiDocuments(roots, first, unread);
}

interface Text {
  readonly url: string;
  readonly text: string;
}

/** The document, or the one that a page in its place shows. */
async function readFirst(url: string, reading: Reading): Promise<Text> {
  const text = await readText(url, undefined, reading);
  const other = describeOtherKind(text, 'openapi');
  if (other !== undefined && !isPage(text)) throw new Unread(`${url} ${other}`);
  if (!isPage(text)) return { url, text };
  const shown = shownBy(text, url);
  if (shown === undefined) throw new Unread(`${url} ${pageHint}`);
  const address = await reading.resolve(shown, url);
  const document = await readText(address, url, reading);
  if (isPage(document)) throw new Unread(`${address} ${pageHint}`);
  return { url: address, text: document };
}

const pageHint =
  'is a page in HTML and no OpenAPI document: next to it, this is often openapi.json, openapi.yaml, swagger.json or v3/api-docs';

function isPage(text: string): boolean {
  return /^\s*(?:<!doctype html|<html)/i.test(text);
}

/** The address of the document that a page of Swagger UI, Redoc or FastAPI shows, where the page has it. */
function shownBy(page: string, url: string): string | undefined {
  const named = /\b(?:url|spec-?url|data-url)["']?\s*[:=]\s*["']([^"'<>\s]{1,2000})["']/gi;
  for (const [, location = ''] of page.slice(0, 200_000).matchAll(named))
    if (/\.(?:json|ya?ml)(?:\?|$)|api-docs|openapi|swagger/i.test(location) && /^https?:/.test(url))
      return join(location, url);
  return undefined;
}

async function readText(url: string, base: string | undefined, reading: Reading): Promise<string> {
  const bytes = await reading.bytes(url, base);
  return bytes.toString().replace(/^\ufeff/, '');
}

function parseText(text: string, url: string): unknown {
  if (!/^\s*[{[]/.test(text)) return readYaml(text, url);
  try {
    return JSON.parse(text);
  } catch (thrown) {
    // Flow style of YAML begins in the same way.
    try {
      return readYaml(text, url);
    } catch (notYaml) {
      throw notYaml instanceof Unread && /\.ya?ml$/i.test(url) ? notYaml : new Unread(jsonFault(thrown, text, url));
    }
  }
}

/** Where and why a text is no JSON: `things.json:3:7: Expected ',' or '}' after property value`. */
function jsonFault(thrown: unknown, text: string, url: string): string {
  const message = String(Object(thrown).message);
  const at = Number(/ at position (\d+)/.exec(message)?.[1] ?? text.length);
  const lines = text.slice(0, at).split('\n');
  const reason = message.replace(/ (?:in JSON )?at position.*$|, \.*"[\s\S]* is not valid JSON$/, '');
  return `${url}:${lines.length}:${lines.at(-1)!.length + 1}: no JSON: ${reason}`;
}

const yamlOptions = {
  prettyErrors: false,
  strict: false,
  uniqueKeys: true,
  merge: true,
  logLevel: 'silent',
} as const;

/** Throws Unread with the line and column of what is no YAML. */
function readYaml(text: string, url: string): unknown {
  const lines = new LineCounter();
  try {
    const strict = parseDocument(text, { ...yamlOptions, lineCounter: lines });
    const isUnindented = strict.errors[0]?.code === 'MISSING_CHAR';
    const indented = isUnindented ? parseDocument(indentQuoted(text), yamlOptions) : strict;
    const document = indented.errors.length === 0 ? indented : strict;
    const [error] = document.errors;
    if (error !== undefined) {
      const { line, col } = lines.linePos(error.pos[0]);
      throw new Unread(`${url}:${line}:${col}: ${error.message}`);
    }
    let aliases = 0;
    visit(document, {
      Alias() {
        aliases += 1;
        return aliases > aliasesMax ? visit.BREAK : undefined;
      },
    });
    if (aliases > aliasesMax || isAlias(document.contents)) throw new Unread(`${url}: more than ${aliasesMax} aliases`);
    return document.toJS({ maxAliasCount: aliasesMax });
  } catch (thrown) {
    if (thrown instanceof Unread) throw thrown;
    // Aliases that stand for too much, and what is nested too deeply.
    if (thrown instanceof ReferenceError || thrown instanceof RangeError) throw new Unread(`${url}: ${thrown.message}`);
    throw thrown;
  }
}

interface Counter {
  readonly seen: Set<object>;
  values: number;
}

/** The other documents that references name. Throws Unread for more values, or deeper ones, than are read. */
function filesIn(tree: unknown, counter: Counter, url: string): ReadonlySet<string> {
  const files = new Set<string>();
  const visitValue = (value: unknown, depth: number): void => {
    counter.values += 1;
    if (counter.values > valuesMax) throw new Unread(`the documents have more than ${valuesMax} values`);
    if (depth > depthMax) throw new Unread(`${url} is more than ${depthMax} deep`);
    if (typeof value !== 'object' || value === null || counter.seen.has(value)) return;
    counter.seen.add(value);
    const file = referenceIn(value)?.split('#', 1)[0];
    if (file !== undefined && file !== '') files.add(file);
    for (const each of Object.values(value)) visitValue(each, depth + 1);
  };
  visitValue(tree, 0);
  return files;
}
