/** The pages of the documentation, which are built into the page of the console. */
import { readJson } from './api.ts';
import { useQuery } from './use-query.ts';

export interface DocumentPage {
  /** `callers`, or `reference/disable`. */
  readonly name: string;
  readonly title: string;
  /** Ids and texts, in their order. */
  readonly headings: readonly (readonly [id: string, text: string])[];
  /** The address of its content. */
  readonly file: string;
}

/** A text, or an element with its address or id. */
export type DocumentNode = string | readonly [tag: string, attribute: string | null, children: readonly DocumentNode[]];

let loading: Promise<readonly DocumentPage[]> | undefined;

/** Loads the index once. */
export function loadDocuments(): Promise<readonly DocumentPage[]> {
  loading ??= readJson<readonly DocumentPage[]>(
    document.querySelector<HTMLLinkElement>('link[rel=help]')?.href ?? '',
  ).catch((thrown: unknown) => {
    loading = undefined;
    throw thrown;
  });
  return loading;
}

export const useDocuments = () => useQuery('documents', loadDocuments);
