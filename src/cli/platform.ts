/** `triglyph platform`: the resources of a balance platform, by id and status. Account and card numbers are not printed. */
import type { Command } from 'commander';
import type { ResourceKind, StoredResource } from '../services/balance-platform/resource.ts';
import { resourceKinds } from '../services/balance-platform/resources.ts';
import { ResourceReader } from '../services/balance-platform/store/repository.ts';
import { CommandError } from './command-error.ts';
import { print } from './output.ts';
import { withBackend } from './with-backend.ts';

export function add(program: Command): void {
  const example = '\nExample:\n  triglyph platform show AcmePlatform';
  const platform = program.command('platform').description('prints the resources of a balance platform');
  platform
    .command('show')
    .argument('<platform>', 'the id of the balance platform')
    .option('--json', 'prints JSON')
    .description(
      'prints the account holders, balance accounts and payment instruments of a platform, with their statuses',
    )
    .addHelpText('after', example)
    .action(showPlatform);
  platform.addHelpText('after', example);
}

async function showPlatform(platform: string, { json }: { readonly json?: boolean }): Promise<void> {
  const tree = await withBackend(({ store }) =>
    store.read(async (tx) => {
      const resources = tx.repository(ResourceReader);
      if ((await resources.findPlatform(platform)) === undefined)
        throw new CommandError([
          `${platform}: there is no such balance platform: \`triglyph credential balance-platform list\` prints them`,
        ]);
      return readTree(platform, resources);
    }),
  );
  if (json) print(JSON.stringify(tree));
  else print(...(tree.length > 0 ? formatTree(tree) : ['The platform has no resources yet.']));
}

/** A resource and the resources that belong to it. */
export interface Branch {
  /** The name of its kind. */
  readonly kind: string;
  readonly id: string;
  readonly status: string;
  readonly reference?: string | undefined;
  readonly below: readonly Branch[];
}

/** Returns the resources of a platform, oldest first, and at most `max` of one parent. */
export function readTree(
  platform: string,
  resources: ResourceReader,
  max = Number.POSITIVE_INFINITY,
): Promise<readonly Branch[]> {
  return readBranches(undefined, platform, { platform, resources, max });
}

/** Returns a line for each resource, indented below its parent. */
export function formatTree(tree: readonly Branch[], indent = ''): readonly string[] {
  return tree.flatMap(({ kind, id, status, reference, below }) => [
    `${indent}${[id, kind, status, ...(reference === undefined ? [] : [reference])].join('  ')}`,
    ...formatTree(below, `${indent}  `),
  ]);
}

interface Selection {
  readonly platform: string;
  readonly resources: ResourceReader;
  readonly max: number;
}

/** `parentKind`: undefined for the platform. */
async function readBranches(
  parentKind: ResourceKind | undefined,
  parent: string,
  selection: Selection,
): Promise<readonly Branch[]> {
  const branches: Branch[] = [];
  for (const kind of resourceKinds.filter((each) => each.parent?.kind === parentKind))
    for (const { record } of await readChildren(kind, parent, selection)) {
      const { id, status, reference } = record;
      branches.push({ kind: kind.name, id, status, reference, below: await readBranches(kind, id, selection) });
    }
  return branches;
}

const pageSize = 100;

async function readChildren(
  kind: ResourceKind,
  parent: string,
  { platform, resources, max }: Selection,
): Promise<readonly StoredResource[]> {
  const children: StoredResource[] = [];
  for (;;) {
    const limit = Math.min(pageSize, max - children.length);
    const page = await resources.listResources({ kind, platform, parent }, { offset: children.length, limit });
    children.push(...page);
    if (page.length < pageSize || children.length >= max) return children;
  }
}
