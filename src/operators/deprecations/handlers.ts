/** Lists, previews and changes deprecations. */
import { deprecationRuleFaults } from '../../backend/index.ts';
import type { Input } from '../../core/contract/index.ts';
import {
  compileConcern,
  DeprecationRefused,
  type DeprecationRule,
  describeCalls,
  isCaller,
  type KnownDeprecation,
  ruleLengthMax,
  stateAt,
} from '../../insight/index.ts';
import { callerProblems as problems } from '../callers/contract.ts';
import { dayMs, daysByDefault, describeUse, listKnown, sumOf, totalOf, usernamesOf } from '../callers/handlers.ts';
import { type OperatorContext, type OperatorHandlers, refuse } from '../operator.ts';
import type { addDeprecation, deprecationOperations } from './contract.ts';

type Rule = Input<typeof addDeprecation>['rule'];

const previewMax = 200;

export const deprecationHandlers: OperatorHandlers<(typeof deprecationOperations)[number]> = {
  async listDeprecations(_, context) {
    const { backend } = context;
    const { valid, invalid } = await listKnown(context);
    const usernames = await usernamesOf(backend);
    return {
      deprecations: valid.map((each) => describe(each, usernames, context)),
      invalid: invalid.map(({ id, changedAt, changedBy, faults, rule: written }) => ({
        ...{ id, changedAt, changedBy, faults, written },
      })),
      credentials: (await backend.registry.listCredentials()).flatMap(({ id, username, tenant, revokedAt }) =>
        revokedAt === undefined ? [{ id, username, tenant }] : [],
      ),
    };
  },

  async previewDeprecation({ rule: given }, context) {
    const { callerRecords, context: clocks } = context.backend;
    const { rule, faults } = await check(given, context);
    if (faults.length > 0) return { faults, credentials: 0, requests: 0, total: 0, callers: [] };
    const concern = compileConcern(rule);
    const since = clocks.clock.now() - daysByDefault * dayMs;
    const concerned = (await callerRecords.listUses(since)).filter(isCaller).flatMap((record) => {
      const found = concern(record.use);
      return found === undefined ? [] : [{ record, isExempt: found === 'exempt' }];
    });
    const binding = concerned.filter(({ isExempt }) => !isExempt);
    const shown = concerned.slice(0, previewMax);
    const days = await callerRecords.listDays(
      shown.map(({ record }) => record),
      since,
    );
    const usernames = await usernamesOf(context.backend);
    const callers = shown.map(({ record: { id, use, lastUsedAt }, isExempt }) => ({
      id,
      ...describeUse(use, usernames),
      client: use.client,
      lastUsedAt,
      requests: totalOf(sumOf(days.get(id) ?? [])),
      isExempt,
    }));
    return {
      faults: [],
      credentials: new Set(binding.map(({ record: { use } }) => use.credential)).size,
      requests: callers.reduce((sum, { requests, isExempt }) => sum + (isExempt ? 0 : requests), 0),
      total: concerned.length,
      callers,
    };
  },

  async addDeprecation({ rule }, context) {
    const valid = await requireValid(rule, context);
    return { id: await change(context, ({ deprecations, by }) => deprecations.add(valid, by)) };
  },

  async replaceDeprecation({ id, rule, seen }, context) {
    await requireStored(id, 'change', context);
    const valid = await requireValid(rule, context);
    await change(context, ({ deprecations, by }) => deprecations.replace(id, valid, by, seen));
    return { id };
  },

  async removeDeprecation({ id, seen }, context) {
    await requireStored(id, 'remove', context);
    await change(context, ({ deprecations, by }) => deprecations.remove(id, by, seen));
    return { id };
  },

  async exemptCaller({ id, credential: given }, context) {
    const { valid, invalid } = await listKnown(context);
    if (![...valid, ...invalid].some((each) => each.id === id))
      refuse(`no deprecation has the id ${id}`, problems.deprecationNotFound);
    const credential = (await idsOf(context)).get(given) ?? given;
    if (!(await isCredential(credential, context)))
      refuse(`${JSON.stringify(credential)} is not the id of a credential`, problems.deprecationNotFound);
    await change(context, ({ deprecations, by }) => deprecations.exempt(id, credential, by));
    return { id };
  },

  async endExemption({ id, credential: given }, context) {
    const credential = (await idsOf(context)).get(given) ?? given;
    await change(context, ({ deprecations, by }) => deprecations.endExemption(id, credential, by));
    return { id };
  },
};

const refusals = {
  unknown: problems.deprecationNotFound,
  changed: problems.deprecationChanged,
  tooMany: problems.tooManyDeprecations,
} as const;

type Change<T> = (parts: Pick<OperatorContext['backend'], 'deprecations'> & Pick<OperatorContext, 'by'>) => Promise<T>;

/** Makes this process take over the change. What the store refuses is thrown as a problem. */
async function change<T>({ backend, by, deprecations }: OperatorContext, make: Change<T>): Promise<T> {
  try {
    const result = await make({ ...backend, by });
    await deprecations.refresh?.();
    return result;
  } catch (thrown) {
    if (!(thrown instanceof DeprecationRefused)) throw thrown;
    return refuse(thrown.message, refusals[thrown.reason]);
  }
}

async function requireStored(id: string, verb: string, context: OperatorContext): Promise<void> {
  if ((await listKnown(context)).valid.some((each) => each.id === id && each.stored === undefined))
    refuse(`${id} is one of the configuration file: ${verb} it there`, problems.deprecationNotFound);
}

async function requireValid(given: Rule, context: OperatorContext): Promise<DeprecationRule> {
  const { rule, faults } = await check(given, context);
  if (faults.length > 0) refuse(faults.join('\n'), problems.invalidDeprecation);
  return rule;
}

/** Returns a sentence for each fault of a rule, and the rule with the ids of credentials for their usernames. */
async function check(given: Rule, context: OperatorContext) {
  const ids = await idsOf(context);
  const credential = given.credential?.map((each) => ids.get(each) ?? each);
  const rule = { ...given, ...(credential !== undefined && { credential }) } as DeprecationRule;
  const faults = deprecationRuleFaults(rule, 'deprecation', context.services);
  if (faults.length > 0) return { rule, faults };
  if (JSON.stringify(rule).length > ruleLengthMax)
    return { rule, faults: [`deprecation has more than ${ruleLengthMax} characters: make several of it.`] };
  const unknown: string[] = [];
  for (const id of new Set([...(credential ?? []), ...(given.except ?? [])]))
    if (!(await isCredential(id, context))) unknown.push(id);
  return { rule, faults: unknown.map((id) => `deprecation: ${JSON.stringify(id)} is not the id of a credential.`) };
}

/** The ids of credentials by their usernames. */
async function idsOf({ backend }: OperatorContext): Promise<ReadonlyMap<string, string>> {
  return new Map([...(await usernamesOf(backend))].map(([id, username]) => [username, id]));
}

async function isCredential(id: string, { backend: { registry, callerRecords } }: OperatorContext): Promise<boolean> {
  return (await registry.listCredentials()).some((each) => each.id === id) || (await callerRecords.hasCredential(id));
}

function describe(
  { id, rule: known, stored, exemptions }: KnownDeprecation,
  usernames: ReadonlyMap<string, string>,
  { backend, deprecations: { source } }: OperatorContext,
) {
  const bySet = new Map(exemptions.map((each) => [each.credential, each]));
  return {
    id,
    source: stored === undefined ? source : 'store',
    isStored: stored !== undefined,
    revision: stored?.revision,
    changedAt: stored?.changedAt,
    changedBy: stored?.changedBy,
    calls: describeCalls(known),
    rule: withLists(known),
    written: JSON.stringify(known),
    ...stateAt(known, backend.context.clock.now()),
    exemptions: (known.except ?? []).map((credential) => ({
      credential,
      username: usernames.get(credential),
      exemptedAt: bySet.get(credential)?.exemptedAt,
      exemptedBy: bySet.get(credential)?.exemptedBy,
    })),
  };
}

/** The contract has lists where a configuration may have one value. Exemptions stand beside the rule. */
function withLists({ except: _, ...known }: DeprecationRule): Rule {
  const list = <T>(value: T | readonly T[] | undefined): T[] | undefined =>
    value === undefined ? undefined : ([value].flat() as T[]);
  return {
    ...known,
    format: list<string>(known.format),
    version: list(known.version),
    service: list(known.service),
    operation: list(known.operation),
    credential: list(known.credential),
  };
}
