/** The documentation: the list of its pages, and one of them. */
import { type ComponentChildren, createElement } from 'preact';
import { useEffect } from 'preact/hooks';
import { readJson } from '../page/api.ts';
import { Empty, Loaded, Page, type ViewProps } from '../page/components/index.ts';
import { decode, Link, useRoute } from '../page/routing.tsx';
import { type DocumentNode, type DocumentPage, useDocuments } from '../page/use-documents.ts';
import { useQuery } from '../page/use-query.ts';

export default function DocumentsView({ gateway }: ViewProps) {
  const { rest } = useRoute();
  const query = useDocuments(gateway);
  const name = rest.join('/');
  return (
    <Loaded query={query}>
      {(pages) => {
        if (name === '') return <Contents pages={pages} />;
        const found = pages.find((each) => each.name === name);
        return found === undefined ? <Missing /> : <Document key={name} page={found} pages={pages} />;
      }}
    </Loaded>
  );
}

function Missing() {
  return (
    <Page title="Not found" lead={<Link to="/docs">All pages</Link>}>
      <Empty title="The documentation has no such page." />
    </Page>
  );
}

const groups = [
  ['Guides', ({ name }: DocumentPage) => !name.includes('/') && name !== 'reference'],
  ['Clients', ({ name }: DocumentPage) => name.startsWith('clients/')],
  ['Reference', ({ name }: DocumentPage) => name.startsWith('reference')],
] as const;

function Contents({ pages }: { readonly pages: readonly DocumentPage[] }) {
  return (
    <Page title="Documentation" lead="Ctrl-K finds a page or a heading by its words.">
      {groups
        .map(([title, isIn]) => ({ title, listed: pages.filter(isIn) }))
        .filter(({ listed }) => listed.length > 0)
        .map(({ title, listed }) => (
          <section class="section" key={title}>
            <h2>{title}</h2>
            <ul class="columns">
              {listed.map((page) => (
                <li key={page.name}>
                  <Link to={`/docs/${page.name}`}>{page.title}</Link>
                </li>
              ))}
            </ul>
          </section>
        ))}
    </Page>
  );
}

interface DocumentProps {
  readonly page: DocumentPage;
  /** Links to other pages are texts. */
  readonly pages: readonly DocumentPage[];
}

function Document({ page: { title, file, headings }, pages }: DocumentProps) {
  const names = new Set(pages.map(({ name }) => `/docs/${name}`));
  const elementOf = compileElements((address) => names.has(address.split('#')[0] ?? ''));
  const query = useQuery(file, () => readJson<readonly DocumentNode[]>(file));
  const isLoaded = query.value !== undefined;
  const hash = decode(location.hash.slice(1));
  useEffect(() => {
    if (isLoaded && hash !== '') document.getElementById(hash)?.scrollIntoView();
  }, [isLoaded, hash]);
  const sections = headings.slice(0, sectionsMax);
  return (
    <Page title={title} lead={<Link to="/docs">All pages</Link>}>
      {sections.length > 1 && (
        <ul class="columns" aria-label="On this page">
          {sections.map(([id, text]) => (
            <li key={id}>
              <a href={`#${id}`}>{text}</a>
            </li>
          ))}
        </ul>
      )}
      <Loaded query={query}>{(nodes) => <article class="document section">{nodes.map(elementOf)}</article>}</Loaded>
    </Page>
  );
}

const sectionsMax = 30;

/** The tags of the script that renders the documents. Any other is its text. */
const tags: ReadonlySet<string> = new Set(
  'p h2 h3 h4 ul ol li pre code strong em blockquote thead tbody tr th td'.split(' '),
);

function compileElements(isListed: (address: string) => boolean): (node: DocumentNode) => ComponentChildren {
  return function elementOf(node: DocumentNode): ComponentChildren {
    if (typeof node === 'string') return node;
    const [tag, attribute, nodes] = node;
    const children = nodes.map(elementOf);
    if (tag === 'a' && attribute?.startsWith('/'))
      return isListed(attribute) ? <Link to={attribute}>{children}</Link> : children;
    if (tag === 'a' && /^https?:/.test(attribute ?? ''))
      return (
        <a href={attribute ?? ''} rel="noreferrer">
          {children}
        </a>
      );
    if (tag === 'table' || tag === 'pre')
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: who has only a keyboard scrolls it.
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields.
        <div class="block" role="group" tabIndex={0} aria-label={tag === 'table' ? 'Table' : 'Example'}>
          {createElement(tag, null, children)}
        </div>
      );
    return tags.has(tag) ? createElement(tag, attribute === null ? null : { id: attribute }, children) : children;
  };
}
