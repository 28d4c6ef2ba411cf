/** Refusals: every format refuses an invalid request with the same issues and messages. */
import fc, { type Arbitrary } from 'fast-check';
import type { Problem } from '../../src/core/contract/problem.ts';
import { limits } from '../../src/core/formats/form/parse.ts';
import type { NamedProtocol } from '../../src/core/formats/wire-formats.ts';
import type { ShownRefusal } from '../formats/format.ts';
import { formats, printLoose } from '../formats/index.ts';
import { type Outcome, outcomeOf, outcomeWithInput } from '../support/exchange.ts';
import { arbitrary } from '../support/generate.ts';
import { type Loose, loosen, textNode } from '../support/lenient.ts';
import { breakages, type Change, spellings } from '../support/seeded-defects.ts';
import { namesOf, type Property, type Subject, search } from './property.ts';

/** Applies some of the changes that a tree allows, and returns their names. An earlier change may remove the place of a later one. */
const applyChanges = (changes: readonly Change[], picks: readonly number[]): string => {
  const chosen = picks
    .map((pick) => changes[pick % changes.length]!)
    .filter((each, at, all) => all.indexOf(each) === at);
  for (const each of chosen) each.apply();
  return chosen.map(({ name }) => name).join('; ');
};

const picks: Arbitrary<readonly number[]> = fc.array(fc.nat(10_000), { minLength: 1, maxLength: 3 });

/** Decodes one tree in every format: returns the first outcome, and a fault where another one differs. */
const compare = (subject: Subject, tree: Loose, what: string) => {
  const { protocols, routes, service, operation } = subject;
  const outcomes = namesOf(subject).map((name) => {
    const call = printLoose(name, service, operation, tree);
    const { outcome, problem } = outcomeWithInput(protocols, name, call, routes);
    const shown = problem && show(name, subject, problem);
    return { name, outcome: withoutPlace(outcome), body: call.body, shown };
  });
  const [first, ...others] = outcomes;
  const describe = ({ name, outcome, body }: (typeof outcomes)[number]) =>
    `${name}: ${JSON.stringify(outcome)}\n  ${body}`;
  const odd = others.find(({ outcome }) => JSON.stringify(outcome) !== JSON.stringify(first!.outcome));
  const fault = odd === undefined ? outcomes.map(findUnshown).find((each) => each !== undefined) : describe(odd);
  return { outcome: first!.outcome, fault: fault && `${what}\n${describe(first!)}\n${fault}` };
};

/** What the answer to a refused request says. */
const show = (name: NamedProtocol, { protocols, service, operation }: Subject, problem: Problem): ShownRefusal =>
  formats[name].readRefusal(protocols[name].encodeError(problem, { requestReference: 'R', operation, service }));

/** Every answer says the first issue in its text, and all of them where the format has room for them. */
const findUnshown = ({
  name,
  outcome,
  shown,
}: {
  readonly name: NamedProtocol;
  readonly outcome: Outcome;
  readonly shown: ShownRefusal | undefined;
}): string | undefined => {
  if (shown === undefined || !('problem' in outcome) || outcome.issues.length === 0) return undefined;
  const messages = outcome.issues.map(([, , message]) => message);
  const hasText = shown.text.endsWith(` ${messages[0]}`);
  // With one issue, its text says all. A header has less room than 50 issues may need.
  const isSingle = messages.length === 1 && shown.messages.length === 0;
  const expected = name === 'adapter' ? messages.slice(0, Math.max(shown.messages.length, 5)) : messages;
  const saysAll =
    shown.messages.length === expected.length && shown.messages.every((each, at) => isOf(each, expected[at] ?? ''));
  if (hasText && (isSingle || saysAll)) return undefined;
  return `${name} shows ${JSON.stringify(shown)}`;
};

/** A format may say behind a message what is valid. */
const isOf = (shown: string, message: string): boolean => shown === message || shown.startsWith(`${message}: `);

/** A body that cannot be parsed is refused with a place in it, which each format names in its own way. */
const withoutPlace = (outcome: Outcome): Outcome =>
  'problem' in outcome && outcome.problem === 'undecodable' ? { ...outcome, message: '' } : outcome;

const isRefused = (outcome: Outcome) => 'problem' in outcome;

export const formatsRefuseAlike: Property = (subject) => {
  const { operation, runs } = subject;
  let refused = 0;
  const found = search(fc.tuple(arbitrary(operation.input), picks), subject, ([input, picked]) => {
    const tree = loosen(operation.input, input);
    const what = applyChanges(breakages(operation.input, tree), picked);
    if (hasEmptyItem(tree) || countTexts(tree) > limits.pairsMax) return undefined;
    const { outcome, fault } = compare(subject, tree, what);
    if (isRefused(outcome)) refused += 1;
    return fault;
  });
  // Some changes leave the request valid, such as dropping an optional object. Most must not, or the property proves nothing.
  // Of a few runs, two may be such changes by chance.
  return found ?? (refused + 2 < 0.9 * runs ? `only ${refused} of ${runs} broken requests are refused` : undefined);
};

/** A form has no pair for an item without members, so it cannot say that there is one more. */
const hasEmptyItem = (node: Loose): boolean => {
  if (node.kind === 'list')
    return node.items.some((item) => (item.kind === 'object' && item.members.length === 0) || hasEmptyItem(item));
  return node.kind === 'object' && node.members.some((member) => hasEmptyItem(member.node));
};

/** A form of more pairs than its limit, such as one with two maps that are too long, is refused before its fields are read. */
const countTexts = (node: Loose): number => {
  switch (node.kind) {
    case 'list':
      return node.items.reduce((sum, item) => sum + countTexts(item), 0);
    case 'object':
    case 'map':
      return node.members.reduce((sum, member) => sum + countTexts(member.node), 0);
    default:
      return 1;
  }
};

/** Nil, null, empty and absent, other orders, spaces and ignored members have the same canonical input. */
export const spellingsAreEquivalent: Property = (subject) => {
  const { operation } = subject;
  return search(fc.tuple(arbitrary(operation.input), picks), subject, ([input, picked]) => {
    const tree = loosen(operation.input, input);
    const what = applyChanges(spellings(operation.input, tree), picked);
    const { outcome, fault } = compare(subject, tree, what);
    const expected = JSON.stringify({ operation: operation.name, input: JSON.stringify(input) });
    if (fault !== undefined || JSON.stringify(outcome) === expected) return fault;
    return `${what}\nis decoded as\n  ${JSON.stringify(outcome)}\ninstead of\n  ${expected}`;
  });
};

/** Texts that XML cannot represent, and keys that a form cannot: every format refuses them. */
const unencodable = fc.oneof(
  fc
    .constantFrom('\u0000', '\u0001', 'a\u0008b', '\u000b', '\u001f', '\ufffe', 'x\uffff')
    .map((text) => ({ key: 'k', text })),
  fc
    .constantFrom('', '.', 'a.', '.a', 'a..b', '__proto__', 'a.__proto__.b', 'a[0]', ']', 'a\nb', '\u2028', '\u0001')
    .map((key) => ({ key, text: 'x' })),
  fc.constantFrom('k'.repeat(129), 'a.b.c.d.e.f.g.h.i').map((key) => ({ key, text: 'x' })),
);

/** Every format refuses them with the code of a malformed request. */
export const unencodableTextIsRefused: Property = (subject) => {
  const { protocols, routes, service, operation } = subject;
  return search(
    fc.tuple(arbitrary(operation.input), fc.nat(10_000), unencodable),
    subject,
    ([input, pick, { key, text }]) => {
      const tree = loosen(operation.input, input);
      if (!plant(tree, pick, key, text)) return undefined;
      for (const name of namesOf(subject)) {
        const outcome = outcomeOf(protocols, name, printLoose(name, service, operation, tree), routes);
        if (!('problem' in outcome) || !['undecodable', 'structure'].includes(outcome.problem))
          return `${name} decodes ${JSON.stringify({ key, text })} as ${JSON.stringify(outcome)}`;
      }
      return undefined;
    },
  );
};

/** Sets a field to the text, or adds the key to a map; returns false where the tree has no such place. */
const plant = (node: Loose, pick: number, key: string, text: string): boolean => {
  if (node.kind === 'map') {
    // A map that is full reads no further entry.
    node.members.unshift({ name: key, node: textNode(text) });
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
