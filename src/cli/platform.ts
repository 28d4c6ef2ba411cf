/** `triglyph platform`: what is on a balance platform, for the one who runs the house; ids and statuses, no numbers. */
import type { Command } from 'commander';
import type { ResourceKind, StoredResource } from '../services/balance-platform/resource.ts';
import { ResourceReader } from '../services/balance-platform/store/repository.ts';
import { CommandError } from './command-error.ts';
import { print } from './output.ts';
import { withBackend } from './with-backend.ts';

/** Rows read at once. */
const pageMax = 100;

/** The platform that is shown, and how many resources of one parent. */
interface Asked {
  readonly platform: string;
  readonly resources: ResourceReader;
  readonly max: number;
}

/** One resource, with those below it. */
export interface Branch {
  readonly kind: ResourceKind;
  readonly id: string;
  readonly status: string;
  readonly reference?: string | undefined;
  readonly below: readonly Branch[];
}

const belowOf: Readonly<Partial<Record<ResourceKind, ResourceKind>>> = {
  accountHolder: 'balanceAccount',
  balanceAccount: 'paymentInstrument',
};

const childrenOf = async (
  kind: ResourceKind,
  parent: string,
  { platform, resources, max }: Asked,
): Promise<readonly StoredResource[]> => {
  const found: StoredResource[] = [];
  for (;;) {
    const limit = Math.min(pageMax, max - found.length);
    const page = await resources.listResources({ kind, platform, parent }, { offset: found.length, limit });
    found.push(...page);
    if (page.length < pageMax || found.length >= max) return found;
  }
};

const branches = async (kind: ResourceKind, parent: string, asked: Asked): Promise<readonly Branch[]> => {
  const below = belowOf[kind];
  const found: Branch[] = [];
  for (const { record } of await childrenOf(kind, parent, asked)) {
    const { id, status, reference } = record;
    found.push({ kind, id, status, reference, below: below === undefined ? [] : await branches(below, id, asked) });
  }
  return found;
};

/** What is on a platform, oldest first; of one parent `max` at most. */
export const treeOf = (
  platform: string,
  resources: ResourceReader,
  max = Number.POSITIVE_INFINITY,
): Promise<readonly Branch[]> => branches('accountHolder', platform, { platform, resources, max });

/** One line each, what belongs to another two blanks further in. */
export const linesOf = (tree: readonly Branch[], indent = ''): readonly string[] =>
  tree.flatMap(({ kind, id, status, reference, below }) => [
    `${indent}${[id, kind, status, ...(reference === undefined ? [] : [reference])].join('  ')}`,
    ...linesOf(below, `${indent}  `),
  ]);

const show = async (platform: string, { json }: { readonly json?: boolean }): Promise<void> => {
  const tree = await withBackend(({ store: details }) =>
    details.read(async (tx) => {
      const resources = tx.repository(ResourceReader);
      if ((await resources.findPlatform(platform)) === undefined)
        throw new CommandError([`${platform}: there is no such balance platform`]);
      return treeOf(platform, resources);
    }),
  );
  const lines = tree.length > 0 ? linesOf(tree) : ['There is nothing on it yet.'];
  print(json ? JSON.stringify(tree) : lines.join('\n'));
};

export const add = (program: Command): void => {
  const example = '\nExample:\n  triglyph platform show AcmePlatform';
  const platform = program.command('platform').description('what is on a balance platform, by ids');
  platform
    .command('show')
    .argument('<platform>', 'the balance platform')
    .option('--json', 'prints JSON')
    .description(
      'shows account holders, their balance accounts and the payment instruments of these, with their statuses',
    )
    .addHelpText('after', example)
    .action(show);
  platform.addHelpText('after', example);
};
