/** Derives alternative spellings and defects of a valid request from its schema and its tree. */
import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { type Choice, entryText, type Field, type ObjectSchema, type Schema } from '../../src/core/contract/schema.ts';
import { arbitrary } from './generate.ts';
import { bareNode, type Loose, loosen, type Member, textNode } from './lenient.ts';

/** One change to a tree, in place. */
export interface Change {
  readonly name: string;
  apply(): void;
}

type ObjectNode = Extract<Loose, { kind: 'object' }>;
type Set = (node: Loose) => void;

/** Returns a valid tree of a schema, for a field that was left out. */
const sampleOf = (shape: Schema): Loose => loosen(shape, fc.sample(arbitrary(shape), { numRuns: 1, seed: 7 })[0]);

const find = (node: ObjectNode, name: string): Member | undefined => node.members.find((each) => each.name === name);

const remove = (node: ObjectNode, names: readonly string[]): void => {
  node.members = node.members.filter(({ name }) => !names.includes(name));
};

const last = (text: string): string => text.slice(0, -1) + (text.endsWith('1') ? '2' : '1');

/** Returns the invalid texts for this schema, each with its name. */
const wrongTexts = (shape: Schema, text: string): readonly (readonly [string, string])[] => {
  switch (shape.kind) {
    case 'string': {
      const wrong: (readonly [string, string])[] = [['too long', 'x'.repeat((shape.max ?? 4000) + 1)]];
      if (shape.format !== undefined) wrong.push(['bad check digits', last(text)]);
      if (shape.pattern !== undefined) wrong.push(['bad pattern', '§']);
      if (shape.emptyString === 'invalid') wrong.push(['blank', '']);
      return wrong;
    }
    case 'enum':
      return [
        ['wrong value', 'NO SUCH VALUE'],
        ['wrong case', text.toLowerCase()],
        ['number', '5'],
        ['boolean', 'true'],
      ];
    case 'list':
      return [
        ['wrong value in a set', `${text},NO_SUCH_VALUE`],
        ['empty value in a set', `${text},`],
        ['number for a set', '5'],
        ['boolean for a set', 'false'],
        ...(shape.emptyString === 'invalid' ? ([['blank set', ' ']] as const) : []),
      ];
    case 'decimal':
      return [
        ['an exponent', '1e5'],
        ['no digit', '+.'],
        ['too many digits', '9'.repeat(shape.digits + 1)],
        ['too many digits after the point', `0.${'1'.repeat(shape.fraction + 1)}`],
        ...(shape.min === undefined ? [] : ([['too small', `${shape.min.replace(/^(?!-)/, '-')}0`]] as const)),
        ...(shape.max === undefined ? [] : ([['too great', `1${shape.max}`]] as const)),
      ];
    case 'date':
      return [
        ['wrong type', 'yesterday'],
        ['no such day', '2026-02-29'],
        ['no such month', '2026-13-01'],
        ['year 0', '0000-01-01'],
        ['no such time zone', `${text}+14:30`],
        ['a moment', `${text}T00:00:00Z`],
      ];
    case 'binary':
      return [
        ['no padding', 'QQ'],
        ['spare bits', 'QR=='],
        ['another alphabet', 'A-_A'],
        ['wrong characters', 'A*=='],
        ['too many bytes', Buffer.alloc(shape.max + 1).toString('base64')],
      ];
    case 'integer':
      return [
        ['wrong type', 'yesterday'],
        ['fraction', '1.5'],
        ['exponent', '1e3'],
        ['boolean', 'true'],
        ['too great', '12345678901234567890'],
      ];
    case 'boolean':
      return [
        ['wrong type', 'yesterday'],
        ['number', '7'],
      ];
    case 'dateTime':
      return [
        ['wrong type', 'yesterday'],
        ['number', '20260101'],
        ['boolean', 'true'],
      ];
    default:
      return [];
  }
};

/** What JSON writes without quotes. */
const isBareValue = (text: string): boolean =>
  /^(?:true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/.test(text);

/** A number is exact where no program loses a digit of it. */
const isExact = (text: string): boolean =>
  /^-?\d{1,16}$/.test(text) ? BigInt(text) < 2n ** 53n && text !== '-0' : /^-?(?:\d\.?){1,15}$/.test(text);

/** Whether JSON may write a value of this kind without quotes, and mean the same as the other formats. */
const canBeBare = (shape: Schema, text: string): boolean => {
  if (!isBareValue(text) || shape.kind === 'binary') return false;
  if (shape.kind !== 'string') return true;
  return text === 'true' || text === 'false' ? shape === entryText : isExact(text);
};

/** Keys that no map may have. */
const wrongKeys: readonly (readonly [string, string])[] = [
  ['empty', ''],
  ['with brackets', 'a[0]'],
  ['a bracket', ']'],
  ['forbidden', '__proto__'],
  ['with a forbidden step', 'a.__proto__.b'],
  ['with an empty step', 'a..b'],
  ['with a dot in front', '.a'],
  ['with a dot behind', 'a.'],
  ['with a line break', 'a\nb'],
  ['too long', 'k'.repeat(129)],
  ['as long as a message', 'k'.repeat(300)],
  ['of nine steps', 'a.b.c.d.e.f.g.h.i'],
  ['of twenty steps', 'a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t'],
];

const choiceBroken = (shape: ObjectSchema, node: ObjectNode, { options, exclusive }: Choice): Change[] => {
  const none = { name: `no option in ${shape.name}`, apply: () => remove(node, options.flat()) };
  if (!exclusive) return [none];
  const all = options.flat().filter((name) => find(node, name) === undefined);
  const add = () => {
    for (const name of all) node.members.push({ name, node: sampleOf(shape.fields[name]!.schema) });
  };
  return [none, { name: `all options in ${shape.name}`, apply: add }];
};

const inObject = (shape: ObjectSchema, node: ObjectNode): Change[] => [
  {
    name: `unknown field in ${shape.name}`,
    apply: () => node.members.push({ name: 'shoperReference', node: textNode('x') }),
  },
  {
    name: `unknown object in ${shape.name}`,
    apply: () => node.members.push({ name: 'shoperName', node: objectWith('x') }),
  },
  ...shape.choices.flatMap((choice) => choiceBroken(shape, node, choice)),
  ...node.members.flatMap((member) => {
    const field = shape.fields[member.name];
    return field === undefined ? [] : inMember(node, member, field);
  }),
];

const inMember = (owner: ObjectNode, member: Member, { schema: shape, required }: Field): Change[] => {
  const set = (node: Loose) => {
    member.node = node;
  };
  const changes = inNode(shape, member.node, set).map(({ name, apply }) => ({
    name: `${member.name}: ${name}`,
    apply,
  }));
  if (required) changes.push({ name: `${member.name}: missing`, apply: () => remove(owner, [member.name]) });
  // Two texts of an element are one.
  if (member.node.kind === 'text' && !member.isText)
    changes.push({ name: `${member.name}: twice`, apply: () => owner.members.push(member) });
  return changes;
};

const inNode = (shape: Schema, node: Loose, set: Set): Change[] => {
  switch (node.kind) {
    case 'text': {
      const wrong = wrongTexts(shape, node.text).flatMap(([name, text]) => [
        { name, apply: () => set(textNode(text)) },
        ...(canBeBare(shape, text) ? [{ name: `${name}, without quotes`, apply: () => set(bareNode(text)) }] : []),
      ]);
      return [...wrong, { name: 'object for a text', apply: () => set(objectWith('1')) }];
    }
    case 'object':
      return [
        ...(shape.kind === 'object' ? inObject(shape, node) : []),
        // In XML, the text of an element is a member of some objects.
        ...(shape.kind === 'object' && shape.textField !== undefined
          ? []
          : [{ name: 'text for an object', apply: () => set(textNode('x')) }]),
      ];
    case 'map': {
      const max = shape.kind === 'map' ? shape.max : 0;
      const many = () => {
        node.members = Array.from({ length: max + 1 }, (_, at) => ({ name: `k${at}`, node: textNode('x') }));
      };
      const long = () => {
        node.members[0]!.node = textNode('x'.repeat(4001));
      };
      return [
        { name: 'too many entries', apply: many },
        { name: 'entry too long', apply: long },
        ...wrongKeys.flatMap(([name, key]) =>
          ['x', ''].map((text) => ({
            name: `key ${name}${text === '' ? ', without a value' : ''}`,
            apply: () => void node.members.splice(0, 1, { name: key, node: textNode(text) }),
          })),
        ),
        { name: 'text for a map', apply: () => set(textNode('x')) },
      ];
    }
    case 'list': {
      const item = shape.kind === 'list' ? shape.item : shape;
      const each = node.items.flatMap((each, at) =>
        inNode(item, each, (changed) => {
          node.items[at] = changed;
        }),
      );
      // In XML, a text may be the only one of a repeated element.
      return node.repeated ? each : [...each, { name: 'text for a list', apply: () => set(textNode('x')) }];
    }
    case 'nothing':
      return [];
    default:
      return node satisfies never;
  }
};

const objectWith = (text: string): Loose => ({ kind: 'object', members: [{ name: 'x', node: textNode(text) }] });

/** What an unknown member may be: it says nothing, so it is ignored. */
const emptyNodes = (): readonly Loose[] => [
  { kind: 'nothing' },
  textNode(''),
  textNode(' \n'),
  { kind: 'object', members: [] },
  objectWith(''),
  { kind: 'object', members: [{ name: 'x', node: objectWith(' ') }] },
];

/** All changes to a tree that make it invalid. */
export const breakages = (shape: ObjectSchema, tree: Loose): readonly Change[] =>
  tree.kind === 'object' ? inObject(shape, tree) : [];

/** All alternative spellings in a tree that leave the canonical value unchanged. */
export const spellings = (shape: ObjectSchema, tree: Loose): readonly Change[] => {
  if (tree.kind !== 'object') return [];
  const { members } = tree;
  const put = (name: string, node: Loose): Change => ({
    name,
    apply: () => {
      const placed = shape.attributes.includes(name) ? ({ isAttribute: true } as const) : {};
      // Another change may have put it there by now.
      if (find(tree, name) === undefined) members.push({ name, node, ...placed });
    },
  });
  return [
    { name: 'other order', apply: () => void members.reverse() },
    ...Object.keys(shape.ignoredMembers).flatMap((name) => [put(name, textNode('x')), put(name, objectWith('x'))]),
    ...emptyNodes().map((node, at) => put(`unknownMember${at}`, node)),
    ...Object.entries(shape.fields).flatMap(([name, { schema: shape }]): Change[] => {
      const member = find(tree, name);
      if (member !== undefined) return inSpelling(shape, member);
      const blank = 'emptyString' in shape && shape.emptyString === 'invalid' ? [] : [put(name, textNode(''))];
      const empty =
        shape.kind === 'object' || shape.kind === 'map' ? put(name, { kind: shape.kind, members: [] }) : undefined;
      return [put(name, { kind: 'nothing' }), ...blank, ...(empty ? [empty] : [])];
    }),
  ];
};

const spellingsOfNumber = (text: string): readonly string[] => {
  const zeros = text.replace(/^(-?)/, '$100') + (text.includes('.') ? '00' : '.');
  return [` ${text}\n`, zeros, ...(text.startsWith('-') ? [] : [`+${text}`]), text.replace(/^(-?)0[.]/, '$1.')];
};

const inSpelling = (shape: Schema, member: Member): Change[] => {
  const { node } = member;
  if (shape.kind === 'object') return [...spellings(shape, node)];
  if (node.kind === 'map') return node.members.flatMap((entry) => withoutQuotes(entryText, entry));
  if (node.kind !== 'text') return [];
  const bare = withoutQuotes(shape, member);
  const respell = (text: string): Change => ({
    name: text,
    apply: () => {
      member.node = textNode(text);
    },
  });
  if (shape.kind === 'list') return [respell(node.text.split(',').reverse().join(' , '))];
  if (shape.kind === 'binary') return [respell(`\n${node.text.replace(/(.{4})(?=.)/g, '$1\r\n')}\n`)];
  if (shape.kind === 'date') return ['Z', '+14:00', '-05:30\n'].map((zone) => respell(node.text + zone));
  if (shape.kind === 'decimal') return spellingsOfNumber(node.text).map(respell);
  return shape.kind === 'string' ? bare : [...bare, respell(` ${node.text}\n`)];
};

const withoutQuotes = (shape: Schema, member: Member): Change[] => {
  const { node } = member;
  if (node.kind !== 'text' || !canBeBare(shape, node.text)) return [];
  const apply = () => {
    member.node = bareNode(node.text);
  };
  return [{ name: `${node.text} without quotes`, apply }];
};
