/** Bounds what matching a pattern takes: JavaScript tries one alternative after the other, which some patterns make exponential. */
import { type PatternNode, parsePattern, Unparsed } from '../../documents/index.ts';

/** Why a pattern is not used. */
export type PatternFault = Unparsed['fault'] | 'too long' | 'too many steps' | 'too many';

const lengthMax = 2_000;
/** Steps of one match: some milliseconds. */
const stepsMax = 1_000_000;
/** Characters and classes, where counted groups are repeated as often as they count. */
const positionsMax = 500;
const followsMax = 20_000;
/** Parts of the pattern, repeated in the same way. */
const partsMax = 10_000;
/** Work of this calculation. */
const workMax = 4_000_000;

/**
 * Finds out whether a text of `length` characters can be matched in acceptable time, in the syntax that XML Schema and JavaScript
 * have in common. The steps are an upper bound: the number of ways in which the pattern may begin to match any text.
 */
export function patternFault(pattern: string, length: number): PatternFault | undefined {
  if (pattern.length > lengthMax) return 'too long';
  try {
    // A number that is no number is too great, too.
    return new Automaton(parsePattern(pattern), pattern).steps(length) <= stepsMax ? undefined : 'too many steps';
  } catch (thrown) {
    if (thrown instanceof Unparsed) return thrown.fault;
    if (thrown instanceof TooCostly) return 'too many steps';
    throw thrown;
  }
}

class TooCostly extends Error {}

/** Positions of a pattern by the number of ways that lead there. */
type Ways = ReadonlyMap<number, number>;

interface Fragment {
  /** Ways to match the empty text. */
  readonly empty: number;
  readonly first: Ways;
  readonly last: Ways;
}

const nothing: Fragment = { empty: 1, first: new Map(), last: new Map() };

/** A longer count of one character is read as any count, which has more ways. */
const countedMax = 64;

/** The automaton of Glushkov, which has one state for each character of the pattern; ways between states are counted. */
class Automaton {
  readonly #atoms: string[] = [];
  readonly #follow: Map<number, number>[] = [];
  readonly #start: Fragment;
  readonly #sample: readonly string[];
  readonly #accepted = new Map<string, readonly string[]>();
  #follows = 0;
  #parts = 0;

  constructor(node: PatternNode, pattern: string) {
    this.#start = this.#fragment(node);
    // A character of each set that the classes of the pattern can make together: its bounds, and the bounds of the shorthands.
    const bounds = `${pattern}\0\t\n\v\f\r !.09:AZ[^_\`az{~\u00a0\u00e9\u1680\u2000\u2028\u202f\u205f\u3000\ufeff\uffff`;
    this.#sample = [
      ...new Set(bounds.split('').flatMap((each) => [each, String.fromCharCode(each.charCodeAt(0) + 1)])),
    ];
  }

  /** Returns the steps of a failing match of a text with `length` characters. */
  steps(length: number): number {
    const start = this.#choices(this.#start.first);
    const states = this.#follow.map((follow) => this.#choices(follow));
    const choices = states.flat();
    // At most one way for each character.
    if (choices.every((choice) => choice.length === 1 && choice[0]![1] === 1))
      return this.#start.empty + most(start, new Array(states.length).fill(length));
    if (choices.reduce((sum, choice) => sum + choice.length, 0) * length > workMax) return Infinity;
    let steps: readonly number[] = states.map(() => 1);
    for (let at = 1; at < length && most(start, steps) <= stepsMax; at++) {
      const before = steps;
      steps = states.map((each) => most(each, before));
      if (steps.every((each, state) => each === before[state])) break;
    }
    return this.#start.empty + most(start, steps);
  }

  /** The positions that one character leads to, for each character that makes a difference. */
  #choices(ways: Ways): readonly Choice[] {
    const byCharacter = new Map<string, (readonly [number, number])[]>();
    for (const [to, count] of ways)
      for (const character of this.#acceptedBy(this.#atoms[to]!)) {
        const choice = byCharacter.get(character);
        if (choice === undefined) byCharacter.set(character, [[to, count]]);
        else choice.push([to, count]);
      }
    return [...new Map([...byCharacter.values()].map((choice) => [choice.map(([to]) => to).join(), choice])).values()];
  }

  /** The characters of the sample. */
  #acceptedBy(atom: string): readonly string[] {
    const known = this.#accepted.get(atom);
    if (known !== undefined) return known;
    const accepts = compile(`^${atom}$`);
    const accepted = this.#sample.filter((character) => accepts.test(character));
    this.#accepted.set(atom, accepted);
    return accepted;
  }

  #fragment(node: PatternNode): Fragment {
    this.#parts += 1;
    if (this.#parts > partsMax) throw new TooCostly();
    switch (node.kind) {
      case 'atom': {
        const at = this.#atoms.push(node.text) - 1;
        if (at >= positionsMax) throw new TooCostly();
        this.#follow.push(new Map());
        const only = new Map([[at, 1]]);
        return { empty: 0, first: only, last: only };
      }
      case 'sequence':
        return node.parts.reduce<Fragment>((before, each) => this.#then(before, this.#fragment(each)), nothing);
      case 'choice': {
        const parts = node.parts.map((each) => this.#fragment(each));
        return {
          empty: parts.reduce((sum, { empty }) => sum + empty, 0),
          first: sumOf(...parts.map(({ first }) => first)),
          last: sumOf(...parts.map(({ last }) => last)),
        };
      }
      case 'repeat':
        return this.#repeat(node);
      default:
        return node satisfies never;
    }
  }

  #repeat({ part, min, max }: Extract<PatternNode, { readonly kind: 'repeat' }>): Fragment {
    if (part.kind === 'atom' && Math.max(min, max === Infinity ? 0 : max) > countedMax)
      return this.#repeat({ kind: 'repeat', part, min: Math.min(min, 1), max: Infinity });
    let fragment = nothing;
    if (max === Infinity) {
      const any = this.#fragment(part);
      this.#link(any.last, any.first);
      fragment = optional(any);
    } else for (let count = min; count < max; count++) fragment = optional(this.#then(this.#fragment(part), fragment));
    for (let count = 0; count < min; count++) fragment = this.#then(this.#fragment(part), fragment);
    return fragment;
  }

  #then(before: Fragment, after: Fragment): Fragment {
    this.#link(before.last, after.first);
    return {
      empty: before.empty * after.empty,
      first: sumOf(before.first, times(after.first, before.empty)),
      last: sumOf(after.last, times(before.last, after.empty)),
    };
  }

  #link(from: Ways, to: Ways): void {
    this.#follows += from.size * to.size;
    if (this.#follows > followsMax) throw new TooCostly();
    for (const [position, ways] of from)
      for (const [next, more] of to) {
        const follow = this.#follow[position]!;
        follow.set(next, (follow.get(next) ?? 0) + ways * more);
      }
  }
}

function compile(pattern: string): RegExp {
  try {
    return new RegExp(pattern);
  } catch {
    throw new Unparsed('other syntax');
  }
}

/** Positions that one character leads to, with the number of ways. */
type Choice = readonly (readonly [position: number, ways: number])[];

/** The steps after the character that has most of them. `steps`: those after each position. */
function most(choices: readonly Choice[], steps: readonly number[]): number {
  return choices.reduce(
    (max, choice) => Math.max(max, 1 + choice.reduce((sum, [to, ways]) => sum + ways * steps[to]!, 0)),
    1,
  );
}

function optional(fragment: Fragment): Fragment {
  return { ...fragment, empty: fragment.empty + 1 };
}

function sumOf(...all: readonly Ways[]): Ways {
  const sum = new Map<number, number>();
  for (const ways of all) for (const [position, count] of ways) sum.set(position, (sum.get(position) ?? 0) + count);
  return sum;
}

function times(ways: Ways, factor: number): Ways {
  return factor === 0 ? new Map() : new Map([...ways].map(([position, count]) => [position, count * factor]));
}
