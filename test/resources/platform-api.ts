/** What the tests of the API know of a resource of the balance platform. */
import type { ResourceKind } from '../../src/payments/balance-platform/resource.ts';

export interface PlatformApi {
  readonly kind: ResourceKind;
  /** Of all resources of the kind: `/accountHolders`. */
  readonly path: string;
  /** An id that no resource has. */
  readonly unknownId: string;
  /** Fields of requests that name a resource of the kind. */
  readonly fields: readonly string[];
  /** By the name of each writing operation: a body that is accepted, and another one. `parent`: the id of the parent. */
  readonly writes: Readonly<Record<string, (parent: string) => { readonly body: object; readonly other: object }>>;
  /** Members of a new resource that may still be changed in every way; absent where each may. */
  readonly changeable?: object;
  /** Each field that holds an id, by operation. Written out, not derived. */
  readonly ids: readonly string[];
  /** What becomes of a change of status: `moves`, `stays`, or the code of its refusal. Written out, not derived. */
  readonly moves: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The method and path of each operation (specification, section 4). */
  readonly calls: readonly string[];
}
