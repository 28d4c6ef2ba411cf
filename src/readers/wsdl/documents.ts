/** Loads a WSDL with everything that it imports and includes: files of its folder, and the network only where it is allowed. */
import { documentLimits, isBlank, type LocatedElement } from '../../core/xml/index.ts';
import { FindingCollector } from './findings.ts';
import { childrenNamed, isNamed, rootOf, wsdlUri, xsdUri } from './names.ts';
import { nameOfLocation, type Reading, readLocation, Unread } from './read-location.ts';

/** A schema, and the namespace of what it declares: one that is included without a namespace takes that of the other. */
export interface SchemaDocument {
  readonly root: LocatedElement;
  readonly targetNamespace: string;
}

export interface Loaded {
  /** The WSDL that was asked for is the first one. */
  readonly definitions: readonly LocatedElement[];
  readonly schemas: readonly SchemaDocument[];
  readonly findings: FindingCollector;
}

const documentsMax = 200;

/** Declarations of all schemas: one without a namespace counts for each namespace that includes it. */
const declarationsMax = 500_000;

/** Elements of all schemas without a namespace, each for each namespace that includes it. */
const copiesMax = 1_000_000;

/** `location`: a path, or a URL where the network is allowed. Throws Unread for a document that cannot be read. */
export async function loadDocuments(location: string, reading: Reading): Promise<Loaded> {
  const loader = new Loader(reading);
  await loader.loadRoot(location);
  return loader;
}

class Loader implements Loaded {
  readonly definitions: LocatedElement[] = [];
  readonly schemas: SchemaDocument[] = [];
  readonly #files = new WeakMap<LocatedElement, string>();
  readonly findings = new FindingCollector((element) => this.#files.get(rootOf(element)) ?? '');
  readonly #reading: Reading;
  /** By their location, and for schemas the namespace that they were read for. */
  readonly #seen = new Set<string>();
  readonly #roots = new Map<string, LocatedElement>();
  #first = '';
  #declarations = 0;
  #copies = 0;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  async loadRoot(location: string): Promise<void> {
    const base = await this.#reading.resolve(location, undefined);
    this.#first = base;
    const root = await this.#read(base, undefined);
    if (!isNamed(root, wsdlUri, 'definitions'))
      throw new Unread(`${nameOfLocation(base, base)} is no WSDL 1.1: its root is ${root.local}`);
    this.#seen.add(base);
    await this.#addDefinitions(root, base);
  }

  /** `base`: of the document that names it. */
  async #read(location: string, base: string | undefined): Promise<LocatedElement> {
    const known = this.#roots.get(location);
    if (known !== undefined) return known;
    if (this.#roots.size >= documentsMax) throw new Unread(`more than ${documentsMax} documents`);
    const name = nameOfLocation(location, this.#first);
    const root = await readLocation(location, { name, base }, this.#reading, documentLimits);
    this.#roots.set(location, root);
    this.#files.set(root, name);
    return root;
  }

  async #addDefinitions(root: LocatedElement, base: string): Promise<void> {
    this.definitions.push(root);
    for (const each of childrenNamed(root, wsdlUri, 'import')) await this.#follow(each, 'location', base, '');
    for (const types of childrenNamed(root, wsdlUri, 'types'))
      for (const each of types.children)
        if (isNamed(each, xsdUri, 'schema'))
          await this.#addSchema(each, each.attributes.get('targetNamespace') ?? '', base);
        else if (isNamed(each, xsdUri, 'import'))
          await this.#follow(each, 'schemaLocation', base, each.attributes.get('namespace') ?? '');
        else if (each.namespace !== wsdlUri)
          this.findings.add('refused', each, 'the types are in another language than XML Schema');
  }

  async #addSchema(root: LocatedElement, targetNamespace: string, base: string): Promise<void> {
    if (this.#declarations + root.children.length > declarationsMax) {
      this.findings.add('refused', root, `with it the schemas would have more than ${declarationsMax} declarations`);
      return;
    }
    this.#declarations += root.children.length;
    this.schemas.push({ root, targetNamespace });
    for (const each of root.children) {
      if (each.namespace !== xsdUri) continue;
      if (each.local === 'import')
        await this.#follow(each, 'schemaLocation', base, each.attributes.get('namespace') ?? '');
      if (each.local === 'include') await this.#follow(each, 'schemaLocation', base, targetNamespace);
      if (each.local === 'redefine') this.findings.add('refused', each, 'a redefinition of types is not applied');
    }
  }

  /** A schema without a namespace is one of each namespace that includes it: names without a prefix are of that, too. */
  #inNamespace(root: LocatedElement, namespace: string): LocatedElement {
    if (namespace === '' || root.attributes.has('targetNamespace')) return root;
    const known = new Map<LocatedElement['prefixes'], LocatedElement['prefixes']>();
    const copyOf = (element: LocatedElement, parent: LocatedElement | undefined): LocatedElement => {
      this.#copies += 1;
      if (this.#copies > copiesMax)
        throw new Unread(`schemas without a namespace are included too often: more than ${copiesMax} elements`);
      const prefixes = known.get(element.prefixes) ?? { '': namespace, ...element.prefixes };
      known.set(element.prefixes, prefixes);
      const children: LocatedElement[] = [];
      const copy = { ...element, parent, prefixes, children };
      for (const each of element.children) children.push(copyOf(each, copy));
      return copy;
    };
    const copy = copyOf(root, undefined);
    this.#files.set(copy, this.#files.get(root) ?? '');
    return copy;
  }

  /** `namespace`: of what a schema without one declares. */
  async #follow(from: LocatedElement, attribute: string, base: string, namespace: string): Promise<void> {
    const written = from.attributes.get(attribute);
    // An import without a location names another schema of the same WSDL.
    if (written === undefined || isBlank(written)) return;
    try {
      const location = await this.#reading.resolve(written.trim(), base);
      const root = await this.#read(location, base);
      const isSchema = isNamed(root, xsdUri, 'schema');
      const target = isSchema ? (root.attributes.get('targetNamespace') ?? namespace) : '';
      const seen = `${location} ${target}`;
      if (location === this.#first || this.#seen.has(seen)) return;
      this.#seen.add(seen);
      if (isSchema) await this.#addSchema(this.#inNamespace(root, target), target, location);
      else if (isNamed(root, wsdlUri, 'definitions')) await this.#addDefinitions(root, location);
      else throw new Unread(`${written} is neither a WSDL nor a schema`);
    } catch (thrown) {
      if (!(thrown instanceof Unread)) throw thrown;
      this.findings.add('refused', from, `not read: ${thrown.message}`);
    }
  }
}
