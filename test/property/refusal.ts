/** Refusal agrees: a broken request is refused in every protocol for the same reasons, in the same words. */
import fc, { type Arbitrary } from 'fast-check';
import { type Outcome, outcomeOf } from '../support/exchange.ts';
import { arbitrary } from '../support/generate.ts';
import { type Loose, loosen, printLoose, textNode } from '../support/lenient.ts';
import { breakages, type Change, spellings } from '../support/seeded-defects.ts';
import { type Law, namesOf, search, type Trial } from './property.ts';

/** Changes that were picked from those that a tree allows; the later ones may find that their place is gone. */
const change = (changes: readonly Change[], picks: readonly number[]): string => {
  const chosen = picks
    .map((pick) => changes[pick % changes.length]!)
    .filter((each, at, all) => all.indexOf(each) === at);
  for (const each of chosen) each.apply();
  return chosen.map(({ name }) => name).join('; ');
};

const picks: Arbitrary<readonly number[]> = fc.array(fc.nat(10_000), { minLength: 1, maxLength: 3 });

/** All protocols' outcomes of one tree: the first, or how another differs. */
const compare = ({ protocols, service, operation }: Trial, tree: Loose, what: string) => {
  const outcomes = namesOf(protocols).map((name) => {
    const call = printLoose[name](service, operation, tree);
    return { name, outcome: outcomeOf(protocols, name, call), body: call.body };
  });
  const [first, ...others] = outcomes;
  const told = ({ name, outcome, body }: (typeof outcomes)[number]) => `${name}: ${JSON.stringify(outcome)}\n  ${body}`;
  const odd = others.find(({ outcome }) => JSON.stringify(outcome) !== JSON.stringify(first!.outcome));
  return { outcome: first!.outcome, complaint: odd && `${what}\n${told(first!)}\n${told(odd)}` };
};

const isRefused = (outcome: Outcome) => 'problem' in outcome;

export const refusalsAgree: Law = (trial) => {
  const { operation, runs } = trial;
  let refused = 0;
  const found = search(fc.tuple(arbitrary(operation.input), picks), trial, ([input, picked]) => {
    const tree = loosen(operation.input, input);
    const what = change(breakages(operation.input, tree), picked);
    const { outcome, complaint } = compare(trial, tree, what);
    if (isRefused(outcome)) refused += 1;
    return complaint;
  });
  // Dropping all of an optional object is no mistake, so a few pass; a law that refuses nothing says nothing.
  return found ?? (refused < 0.9 * runs ? `only ${refused} of ${runs} broken requests are refused` : undefined);
};

/** Nil, null, empty and absent, other orders, spaces and tolerated members: all the same canonical input. */
export const spellingsAgree: Law = (trial) => {
  const { operation } = trial;
  return search(fc.tuple(arbitrary(operation.input), picks), trial, ([input, picked]) => {
    const tree = loosen(operation.input, input);
    const what = change(spellings(operation.input, tree), picked);
    const { outcome, complaint } = compare(trial, tree, what);
    const expected = JSON.stringify({ operation: operation.name, input: JSON.stringify(input) });
    if (complaint !== undefined || JSON.stringify(outcome) === expected) return complaint;
    return `${what}\nis read as\n  ${JSON.stringify(outcome)}\ninstead of\n  ${expected}`;
  });
};

/** Texts that XML cannot carry, and keys that a form cannot: no protocol takes what another could not. */
const unspeakable = fc.oneof(
  fc
    .constantFrom('\u0000', '\u0001', 'a\u0008b', '\u000b', '\u001f', '\ufffe', 'x\uffff')
    .map((text) => ({ key: 'k', text })),
  fc
    .constantFrom('', '.', 'a.', '.a', 'a..b', '__proto__', 'a.__proto__.b', 'a[0]', ']', 'a\nb', '\u2028', '\u0001')
    .map((key) => ({ key, text: 'x' })),
  fc.constantFrom('k'.repeat(129), 'a.b.c.d.e.f.g.h.i').map((key) => ({ key, text: 'x' })),
);

/** Refused everywhere with the one code of a request that cannot be read. */
export const unspeakableRefused: Law = (trial) => {
  const { protocols, service, operation } = trial;
  return search(
    fc.tuple(arbitrary(operation.input), fc.nat(10_000), unspeakable),
    trial,
    ([input, pick, { key, text }]) => {
      const tree = loosen(operation.input, input);
      if (!plant(tree, pick, key, text)) return undefined;
      for (const name of namesOf(protocols)) {
        const outcome = outcomeOf(protocols, name, printLoose[name](service, operation, tree));
        if (!('problem' in outcome) || !['undecodable', 'structure'].includes(outcome.problem))
          return `${name} makes ${JSON.stringify(outcome)} of ${JSON.stringify({ key, text })}`;
      }
      return undefined;
    },
  );
};

/** Puts the text in a field, or the key in a map; false where the tree has no such place. */
const plant = (node: Loose, pick: number, key: string, text: string): boolean => {
  if (node.kind === 'map') {
    node.members.push({ name: key, node: textNode(text) });
    return true;
  }
  if (node.kind !== 'object') return false;
  const places = node.members.filter(({ node }) =>
    key === 'k' ? node.kind !== 'list' : node.kind === 'map' || node.kind === 'object',
  );
  if (places.length === 0) return false;
  const member = places[pick % places.length]!;
  if (member.node.kind !== 'text') return plant(member.node, pick, key, text);
  member.node = textNode(text);
  return true;
};
