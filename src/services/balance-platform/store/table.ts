/** The table of a kind of resource; each resource's folder declares its own. */
import type { Records, ResourceKind } from '../resource.ts';

export interface ResourceTable<K extends ResourceKind> {
  readonly name: string;
  /** The column that names the parent, and its value; undefined where the parent is the platform. */
  readonly parent?: { readonly column: string; readonly idOf: (record: Records[K]) => string };
  /** Whether the kind has a sealed number, unique across all platforms. */
  readonly sealed?: true;
}
