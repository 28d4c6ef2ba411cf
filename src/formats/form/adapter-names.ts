/** The names of the form adapter: fields stand under the name of their message, `disableRequest.contract`. */
import type { Operation } from '../../contract/operation.ts';
import type { Node } from './parse.ts';

/** `DisableRequest` becomes `disableRequest`. */
export function prefixOf({ name }: Operation['input']): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** The names under a prefix. All other names but the action get a leading dot, so no field has them. */
export function under(tree: Node, prefix: string): Node {
  const below = new Map(tree.below.get(prefix)?.below);
  for (const [name, node] of tree.below) if (name !== prefix && name !== 'action') below.set(`.${name}`, node);
  return { value: tree.below.get(prefix)?.value, below, place: tree.place };
}

/** A key in the spelling of the caller: one with a leading dot has no prefix. */
export function coordinates(prefix: string, key: string): string {
  return key.startsWith('.') ? key.slice(1) : `${prefix}.${key}`.replace(/^\.|\.$/g, '');
}
