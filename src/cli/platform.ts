/** `triglyph platform`: the resources of a balance platform, by id and status. Account and card numbers are not printed. */
import type { Command } from 'commander';
import type { Output } from '../contract/operation.ts';
import { showPlatform } from '../services/balance-platform/actions/platforms.ts';
import { addOperation } from './operator-command.ts';

export function add(program: Command): void {
  const example = 'triglyph platform show AcmePlatform';
  const platform = program.command('platform').description('prints the resources of a balance platform');
  addOperation(platform, 'show', showPlatform, {
    operands: { platform: 'platform' },
    example,
    json: ({ resources }) => treeOf(resources),
    text: ({ resources }) =>
      resources.length === 0 ? ['The platform has no resources yet.'] : formatTree(treeOf(resources)),
  });
  platform.addHelpText('after', `\nExample:\n  ${example}`);
}

type Resource = Output<typeof showPlatform>['resources'][number];

/** A resource and the resources that belong to it. */
interface Branch extends Omit<Resource, 'parent'> {
  readonly below: readonly Branch[];
}

/** Returns the resources below those that they belong to. `above`: the id of a resource, or undefined for the platform. */
export function treeOf(resources: readonly Resource[], above?: string): readonly Branch[] {
  return resources
    .filter(({ parent }) => parent === above)
    .map(({ parent: _, ...resource }) => ({ ...resource, below: treeOf(resources, resource.id) }));
}

/** Returns a line for each resource, indented below its parent. */
export function formatTree(tree: readonly Branch[], indent = ''): readonly string[] {
  return tree.flatMap(({ kind, id, status, reference, below }) => [
    `${indent}${[id, kind, status, ...(reference === undefined ? [] : [reference])].join('  ')}`,
    ...formatTree(below, `${indent}  `),
  ]);
}
