/** The pages of the documentation, which are built into the page of the console. */
import { readJson } from './api.ts';
import type { ViewProps } from './components/index.ts';
import { useQuery } from './use-query.ts';

export interface DocumentPage {
  /** `callers`, or `reference/disable`. */
  readonly name: string;
  readonly title: string;
  /** Ids and texts, in their order. */
  readonly headings: readonly (readonly [id: string, text: string])[];
  /** The operation of a built-in service that it describes: `Recurring.disable`. */
  readonly describes?: string;
  /** The address of its content. */
  readonly file: string;
}

interface DocumentIndex {
  readonly pages: readonly DocumentPage[];
  /** The address of the pages about the built-in services. */
  readonly builtIn: string;
}

/** A text, or an element with its address or id. */
export type DocumentNode = string | readonly [tag: string, attribute: string | null, children: readonly DocumentNode[]];

let loading: Promise<readonly DocumentPage[]> | undefined;

/** Loads the list of the pages once; those about the built-in services where the gateway serves one. */
export function loadDocuments({ hasGuides }: ViewProps['gateway']): Promise<readonly DocumentPage[]> {
  loading ??= loadPages(hasGuides).catch((thrown: unknown) => {
    loading = undefined;
    throw thrown;
  });
  return loading;
}

async function loadPages(hasGuides: boolean): Promise<readonly DocumentPage[]> {
  const address = document.querySelector<HTMLLinkElement>('link[rel=help]')?.href ?? '';
  const { pages, builtIn } = await readJson<DocumentIndex>(address);
  if (!hasGuides) return pages;
  const all = [...pages, ...(await readJson<readonly DocumentPage[]>(builtIn))];
  return all.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

export const useDocuments = (gateway: ViewProps['gateway']) => useQuery('documents', () => loadDocuments(gateway));
