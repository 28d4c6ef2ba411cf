/** The commands that add and list balance platforms, and show their resources. Account and card numbers are not printed. */
import type { ActionCommands } from '../../../backend/index.ts';
import type { Output } from '../../../core/contract/index.ts';
import type { platformOperations, showPlatform } from './platforms.ts';

export const platformCommands: ActionCommands<(typeof platformOperations)[number]> = {
  saveBalancePlatform: {
    name: 'credential balance-platform add',
    operands: { company: 'company', code: 'id' },
    flags: { description: '--description <text>', timeZone: '--time-zone <name>' },
    example: 'triglyph credential balance-platform add Acme AcmePlatform --time-zone Europe/Amsterdam',
    text: ({ id, company }) => [`${id} belongs to ${company}.`],
  },
  listBalancePlatforms: {
    name: 'credential balance-platform list',
    doc: 'lists the balance platforms with their companies',
    example: 'triglyph credential balance-platform list',
    json: ({ platforms }) => platforms,
    text: ({ platforms }) =>
      platforms.map(({ company, id, status, timeZone }) => [company, id, status, timeZone].join('  ')),
  },
  showPlatform: {
    name: 'platform show',
    operands: { platform: 'platform' },
    example: 'triglyph platform show AcmePlatform',
    json: ({ resources }) => treeOf(resources),
    text: ({ resources }) =>
      resources.length === 0 ? ['The platform has no resources yet.'] : formatTree(treeOf(resources)),
  },
};

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
