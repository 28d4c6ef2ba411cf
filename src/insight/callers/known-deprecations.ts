/** Merges the deprecations of the configuration with those that the store holds. */
import { hash } from 'node:crypto';
import { type DeprecationRule, selectors } from './deprecation.ts';
import type { Exemption, StoredDeprecation, StoredDeprecations } from './stored-deprecation.ts';

/** A deprecation of the configuration or of the store. */
export interface KnownDeprecation {
  /** `config_0f1e2d3c4b`, or `dp_Fx0uT4mQ9a1s`. */
  readonly id: string;
  /** All credentials that it does not concern are in `except`. */
  readonly rule: DeprecationRule;
  /** Absent for those of the configuration. */
  readonly stored?: Omit<StoredDeprecation, 'id' | 'rule'> | undefined;
  /** Exemptions in the store. Others are in the configuration. */
  readonly exemptions: readonly Exemption[];
}

/** A rule that this program cannot apply. */
export interface InvalidDeprecation extends Omit<StoredDeprecation, 'rule'> {
  /** The JSON text of the rule. */
  readonly rule: string;
  readonly faults: readonly string[];
}

export interface KnownDeprecations {
  /** Deprecations of the configuration come first. */
  readonly valid: readonly KnownDeprecation[];
  readonly invalid: readonly InvalidDeprecation[];
}

/** `faultsOf`: why a rule of the store cannot be applied. */
export function mergeDeprecations(
  configured: readonly DeprecationRule[],
  { deprecations, exemptions }: StoredDeprecations,
  faultsOf: (rule: unknown) => readonly string[],
): KnownDeprecations {
  const exempt = (id: string) => exemptions.filter(({ deprecation }) => deprecation === id);
  const ids = configuredIds(configured);
  const valid: KnownDeprecation[] = configured.map((rule, index) => describe(ids[index]!, rule, exempt(ids[index]!)));
  const invalid: InvalidDeprecation[] = [];
  for (const { id, rule, ...stored } of deprecations) {
    const faults = faultsOf(rule);
    if (faults.length > 0) invalid.push({ id, ...stored, rule: JSON.stringify(rule), faults });
    else valid.push({ ...describe(id, rule as DeprecationRule, exempt(id)), stored });
  }
  return { valid, invalid };
}

function describe(id: string, rule: DeprecationRule, exemptions: readonly Exemption[]): KnownDeprecation {
  const { except = [] } = rule;
  const all = [...new Set([...except, ...exemptions.map(({ credential }) => credential)])];
  return { id, rule: all.length === 0 ? rule : { ...rule, except: all }, exemptions };
}

/**
 * Returns the ids of the deprecations of a configuration. An id depends on the calls that are deprecated, so that exemptions
 * still hold when dates and brown-outs change. Deprecations of the same calls have their place among each other.
 */
export function configuredIds(rules: readonly DeprecationRule[]): readonly string[] {
  const known = new Map<string, number>();
  return rules.map((rule) => {
    const calls = selectors.map((name) => [rule[name] ?? []].flat().map(String).toSorted());
    const id = `config_${hash('sha256', JSON.stringify(calls)).slice(0, 10)}`;
    const place = (known.get(id) ?? 0) + 1;
    known.set(id, place);
    return place === 1 ? id : `${id}_${place}`;
  });
}
