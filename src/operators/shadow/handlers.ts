/** Lists shadows and their differences, and changes what they get and answer. */
import { type ShadowAbout, ShadowRefused, type ShadowStore, type StoredDifference } from '../../backend/index.ts';
import { hasDatabase } from '../../config/index.ts';
import { type Input, newestOf, type Operation, operationNamed } from '../../core/contract/index.ts';
import type { Share } from '../../forward/index.ts';
import { usernamesOf } from '../callers/handlers.ts';
import { type OperatorContext, type OperatorHandlers, refuse } from '../operator.ts';
import type { setShadowShare, shadowOperations } from './contract.ts';

export const shadowHandlers: OperatorHandlers<(typeof shadowOperations)[number]> = {
  async listShadows(_, { backend, shadows }) {
    const { shares } = await backend.shadows.load();
    const differences = await backend.shadows.list();
    return {
      shadows: shadows.map((about) => {
        const { rulesOf: _, ...shown } = about;
        const own = differences.filter(({ upstream }) => upstream === about.upstream);
        const accepted = own.filter((each) => each.accepted ?? ruleFor(each, shadows)).length;
        return {
          ...shown,
          differing: own.length - accepted,
          accepted,
          shares: shares
            .filter(({ upstream }) => upstream === about.upstream)
            .map(({ operation, caller, copied, answered, changedAt, changedBy }) => ({
              operation: operation || undefined,
              caller: caller || undefined,
              ...{ copied, answered, changedAt, changedBy },
            })),
        };
      }),
    };
  },

  async setShadowShare(input, context) {
    await setShare(input, 'copied', context);
    return { upstream: input.upstream };
  },

  async switchToShadow(input, context) {
    const { mayAnswer, copiesWrites } = find(input.upstream, context);
    if (!mayAnswer)
      refuse(
        `${input.upstream} decides about the credentials of callers, and its shadow does not get them: give it credentials: 'forward'`,
      );
    if (copiesWrites && input.operation !== undefined && findOperation(input.operation, context)?.effect === 'writes')
      refuse(`the shadow of ${input.upstream} is a sandbox for ${input.operation}: what it writes has no effect`);
    const set = await setShare(input, 'answered', context);
    const { shares } = await context.backend.shadows.load();
    return {
      upstream: input.upstream,
      remaining: shares.flatMap(({ upstream, operation, caller, answered: percent }) =>
        upstream === input.upstream &&
        percent !== undefined &&
        percent !== input.percent &&
        isWithin({ operation, caller }, set)
          ? { operation: operation || undefined, caller: caller || undefined, percent }
          : [],
      ),
    };
  },

  async switchBack({ upstream }, context) {
    find(upstream, context);
    return { upstream, wasSwitched: await change(context, (store) => store.switchBack(upstream, context.by)) };
  },

  async listShadowDifferences({ upstream }, { backend, shadows }) {
    const found = await backend.shadows.list(upstream);
    return {
      differences: found.map(({ example, accepted, ...difference }) => ({
        ...difference,
        callers: [...difference.callers],
        at: example?.at,
        reference: example?.reference,
        current: example?.left,
        shadow: example?.right,
        reason: accepted?.reason ?? ruleFor(difference, shadows),
        acceptedAt: accepted?.at,
        acceptedBy: accepted?.by ?? (ruleFor(difference, shadows) && 'the configuration'),
      })),
    };
  },

  async acceptShadowDifference({ id, reason }, context) {
    await change(context, (store) => store.accept(id, reason, context.by));
    return { id };
  },

  async reopenShadowDifference({ id }, context) {
    await change(context, (store) => store.accept(id, undefined, context.by));
    return { id };
  },
};

async function setShare(
  { upstream, percent, operation = '', caller: given = '' }: Input<typeof setShadowShare>,
  kind: 'copied' | 'answered',
  context: OperatorContext,
): Promise<Pick<Share, 'operation' | 'caller'>> {
  find(upstream, context);
  if (operation !== '' && findOperation(operation, context) === undefined)
    refuse(`no service has the operation ${operation}`);
  const usernames = await usernamesOf(context.backend);
  const caller = [...usernames].find(([, username]) => username === given)?.[0] ?? given;
  await change(context, (store) => store.setShare(upstream, kind, { operation, caller, percent }, context.by));
  return { operation, caller };
}

/** Why the rules of the configuration let a difference stay. */
function ruleFor(
  { upstream, operation, path }: Pick<StoredDifference, 'upstream' | 'operation' | 'path'>,
  shadows: readonly ShadowAbout[],
): string | undefined {
  const rulesOf = shadows.find((each) => each.upstream === upstream)?.rulesOf;
  return rulesOf?.(operation.slice(operation.indexOf('.') + 1)).accepted(path);
}

/** Whether a share counts for requests of another one, instead of it. */
function isWithin(share: Pick<Share, 'operation' | 'caller'>, other: Pick<Share, 'operation' | 'caller'>): boolean {
  const isSame = share.operation === other.operation && share.caller === other.caller;
  const meets = (own: string, its: string): boolean => own === its || own === '' || its === '';
  const rank = ({ operation, caller }: typeof share): number => (caller === '' ? 0 : 2) + (operation === '' ? 0 : 1);
  return (
    !isSame && meets(share.operation, other.operation) && meets(share.caller, other.caller) && rank(share) > rank(other)
  );
}

function find(upstream: string, { shadows }: OperatorContext): ShadowAbout {
  return (
    shadows.find((each) => each.upstream === upstream) ??
    refuse(
      shadows.length === 0
        ? 'no upstream of the configuration has a shadow'
        : `${upstream} has no shadow; those with one: ${shadows.map((each) => each.upstream).join(', ')}`,
    )
  );
}

function findOperation(name: string, { services }: OperatorContext): Operation | undefined {
  return operationNamed(newestOf(services), name)?.operation;
}

/** Makes this process take over the change. What the store refuses is thrown as a problem. */
async function change<T>(
  { backend, config, refreshShadows }: OperatorContext,
  make: (store: ShadowStore) => Promise<T>,
): Promise<T> {
  if (!hasDatabase(config))
    refuse('there is no database that all servers share: say share in the configuration, and restart');
  try {
    const result = await make(backend.shadows);
    await refreshShadows?.();
    return result;
  } catch (thrown) {
    if (!(thrown instanceof ShadowRefused)) throw thrown;
    return refuse(thrown.message);
  }
}
