/** Generates values of a schema in normal form, including texts that break careless codecs. */
import { Buffer } from 'node:buffer';
import fc, { type Arbitrary } from 'fast-check';
import { countries, currencies } from '../../src/core/contract/iso.ts';
import { parser } from '../../src/core/contract/lexical.ts';
import {
  type Choice,
  type DateTimeSchema,
  type DecimalSchema,
  type Format,
  type IntegerSchema,
  type ListSchema,
  type MapSchema,
  type ObjectSchema,
  type ScalarSchema,
  type Schema,
  type SetSchema,
  type StringSchema,
  textLengthMax,
} from '../../src/core/contract/schema.ts';

/** Texts that XML, JSON or form codecs have misread. */
const hostile: readonly string[] = [
  `<>&"'`,
  ']]>',
  '<![CDATA[x]]>',
  '<!-- x -->',
  '&amp;',
  '&#65;',
  '\r',
  '\r\n',
  '\n',
  '\t',
  ' leading',
  'trailing ',
  '  ',
  '%',
  '%41',
  '%zz',
  '+',
  '%2B',
  'a=b&c=d',
  ';',
  '{"a":[1]}',
  '\\u0041',
  '\\',
  '"',
  '/',
  '~!()*',
  '00123',
  '1e5',
  '42',
  '-12.50',
  '5555444433331111',
  'false',
  '0x1F',
  'null',
  'true',
  'undefined',
  '__proto__',
  '\u00a0',
  '\u2028',
  '\u0085',
  '\u007f',
  'e\u0301\u00e9',
  '😀',
  '👩‍👩‍👧',
  'שלום',
  '\u202eabc',
  '日本語',
];

const scrap = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...hostile) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 12 }) },
);

/** Up to `max` UTF-16 units, sometimes exactly `max`. */
const freeText = (max: number): Arbitrary<string> =>
  fc.oneof(
    { weight: 20, arbitrary: fc.array(scrap, { minLength: 1, maxLength: 4 }).map((all) => all.join('').slice(0, max)) },
    { weight: 1, arbitrary: fc.constantFrom('x', '7', ' ').map((sign) => sign.repeat(max)) },
  );

const digits = (min: number, max: number): Arbitrary<string> => fc.stringMatching(new RegExp(`^[0-9]{${min},${max}}$`));

const luhnNumber: Arbitrary<string> = digits(11, 18).map((start) => {
  const valid = [...'0123456789'].find((digit) => isLuhn(start + digit));
  return start + valid;
});

/** Implemented independently, so that a wrong check in the sources does not generate its own test data. */
const isLuhn = (text: string): boolean => {
  const weighed = [...text].reverse().map((digit, at) => (at % 2 === 0 ? Number(digit) : Number(digit) * 2));
  return weighed.reduce((sum, each) => sum + Math.floor(each / 10) + (each % 10), 0) % 10 === 0;
};

const ibanNumber: Arbitrary<string> = fc
  .tuple(fc.stringMatching(/^[A-Z]{2}$/), fc.stringMatching(/^[A-Z0-9]{11,30}$/))
  .map(([country, account]) => {
    const numeral = [...`${account}${country}00`].map((sign) => Number.parseInt(sign, 36)).join('');
    return `${country}${String(98n - (BigInt(numeral) % 97n)).padStart(2, '0')}${account}`;
  });

const formats: Readonly<Record<Format, Arbitrary<string>>> = {
  luhn: luhnNumber,
  iban: ibanNumber,
  country: fc.constantFrom(...countries),
  countryOrUnknown: fc.constantFrom('ZZ', ...countries),
  currency: fc.constantFrom(...currencies),
  timeZone: fc.constantFrom('UTC', ...Intl.supportedValuesOf('timeZone')),
};

const patterns = new Map<string, Arbitrary<string>>();

/** One for each pattern: creating it takes as long as some hundred values. */
const ofPattern = (pattern: string): Arbitrary<string> => {
  let found = patterns.get(pattern);
  if (found === undefined) {
    found = fc.stringMatching(new RegExp(`^(?:${pattern})$`));
    patterns.set(pattern, found);
  }
  return found;
};

const texts = (shape: StringSchema): Arbitrary<string> => {
  const { max = textLengthMax, pattern, format } = shape;
  if (format !== undefined) return formats[format];
  // A pattern with a dot also accepts free text.
  if (pattern !== undefined && !pattern.includes('.*')) return ofPattern(pattern);
  return pattern === undefined
    ? freeText(max)
    : fc.oneof(
        ofPattern(pattern),
        freeText(max - 1).map((text) => `${text}x`),
      );
};

const moments = (_: DateTimeSchema): Arbitrary<number> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2040, 0) }) },
    // Around both clock changes of a year, and far away from them.
    {
      weight: 1,
      arbitrary: fc.integer({ min: -7_200_000, max: 7_200_000 }).map((off) => Date.UTC(2026, 2, 29, 1) + off),
    },
    {
      weight: 1,
      arbitrary: fc.integer({ min: -7_200_000, max: 7_200_000 }).map((off) => Date.UTC(2026, 9, 25, 1) + off),
    },
    { weight: 1, arbitrary: fc.integer({ min: Date.UTC(1000, 0), max: Date.UTC(9999, 0) - 1 }) },
  );

const scalars = (shape: ScalarSchema): Arbitrary<unknown> => {
  switch (shape.kind) {
    case 'string': {
      const parse = parser(shape);
      return texts(shape).filter((text) => text !== '' && 'value' in parse(text));
    }
    case 'integer':
      return integers(shape);
    case 'boolean':
      return fc.boolean();
    case 'dateTime':
      return moments(shape);
    case 'decimal':
      return decimals(shape);
    case 'double':
      // Zero has no sign.
      return fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0);
    case 'date':
      return days;
    case 'binary':
      return fc.uint8Array({ minLength: 1, maxLength: shape.max, size: 'max' }).map(base64Of);
    case 'enum':
      return fc.constantFrom(...shape.values);
    default:
      return shape satisfies never;
  }
};

const integers = ({ min, max }: IntegerSchema): Arbitrary<number> => fc.integer({ min, max });

/** Integers in units of the last digit that is possible: no arithmetic of the sources takes part. */
const decimals = ({ digits, fraction, min, max }: DecimalSchema): Arbitrary<string> => {
  const limit = 10n ** BigInt(digits) - 1n;
  const unitsOf = (text: string) => {
    const [whole = '', decimals = ''] = text.split('.');
    return BigInt(whole + decimals.padEnd(fraction, '0'));
  };
  const bounds = { min: min === undefined ? -limit : unitsOf(min), max: max === undefined ? limit : unitsOf(max) };
  const near = { min: bounds.min > -1000n ? bounds.min : -1000n, max: bounds.max < 1000n ? bounds.max : 1000n };
  return fc.oneof(fc.bigInt(bounds), fc.bigInt(near), fc.constantFrom(bounds.min, bounds.max, 0n)).map((units) => {
    const text = String(units < 0n ? -units : units).padStart(fraction + 1, '0');
    const whole = text.slice(0, text.length - fraction);
    const decimals = text.slice(text.length - fraction).replace(/0+$/, '');
    return `${units < 0n ? '-' : ''}${whole}${decimals === '' ? '' : `.${decimals}`}`;
  });
};

const days: Arbitrary<string> = fc.oneof(
  fc.constantFrom('0001-01-01', '2000-02-29', '2024-02-29', '9999-12-31'),
  fc
    .tuple(fc.integer({ min: 1, max: 9999 }), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 28 }))
    .map(([year, month, day]) => [String(year).padStart(4, '0'), two(month), two(day)].join('-')),
);

const two = (number: number): string => String(number).padStart(2, '0');

const base64Of = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

const sets = ({ item, max }: SetSchema): Arbitrary<unknown> =>
  fc.subarray([...item.values], { minLength: 1, maxLength: max });

const keyOfMap = fc.oneof(
  fc.constantFrom(
    'a.b',
    'card.encrypted.json',
    '007',
    '10',
    '9',
    'constructor',
    'toString',
    'a b',
    'a+b',
    'a&b=c',
    'ключ',
    '😀',
  ),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
  fc.stringMatching(/^[A-Za-z][A-Za-z0-9_.]{0,30}$/),
);

/** Keys that the contract allows, see the decoding walk. */
export const isKey = (key: string): boolean =>
  key.length > 0 &&
  key.length <= 128 &&
  'value' in parser({ kind: 'string', example: '' })(key) &&
  /^.+$/.test(key) &&
  !/[[\]]/.test(key) &&
  key.split('.').length <= 8 &&
  key.split('.').every((part) => part !== '' && part !== '__proto__');

const entries = ({ item }: MapSchema): Arbitrary<unknown> =>
  item === undefined
    ? scalars({ kind: 'string', max: 200, example: '' })
    : objects(item, new Map()).filter((record) => !isEmpty(record));

const maps = (shape: MapSchema): Arbitrary<unknown> =>
  fc
    .dictionary(keyOfMap.filter(isKey), entries(shape), {
      minKeys: 1,
      maxKeys: Math.min(shape.max, 5),
      noNullPrototype: true,
    })
    .map((map) => Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1))));

/** Adds and removes fields so that the choices of the schema hold. */
const obey = (choices: readonly Choice[], pick: number, has: ReadonlySet<string>): ReadonlySet<string> => {
  const present = new Set(has);
  for (const { options, exclusive } of choices) {
    const chosen = options[pick % options.length]!;
    if (exclusive) for (const name of options.flat()) present.delete(name);
    for (const name of chosen) present.add(name);
  }
  return present;
};

/** How many levels of the recursive objects around a value may follow. */
type Levels = ReadonlyMap<ObjectSchema, number>;

/** Whether an object around the schema may be in it. */
const leadsBack = (schema: Schema, around: Levels): boolean => {
  if (schema.kind === 'list') return leadsBack(schema.item, around);
  if (schema.kind !== 'object') return false;
  if (schema.recursion !== undefined) return around.has(schema);
  return Object.values(schema.fields).some((field) => leadsBack(field.schema, around));
};

/** Besides the one way to a deep level, there is none: FORM has 200 pairs. */
const aside = (around: Levels): Levels =>
  new Map([...around].map(([shape, levels]) => [shape, levels > 5 ? 0 : Math.min(levels, 2)]));

/** Few levels, or as many as every format has. */
const recursiveObjects = (shape: ObjectSchema, around: Levels): Arbitrary<Readonly<Record<string, unknown>>> => {
  const within = (levels: number) => objects(shape, new Map(around).set(shape, levels - 1));
  const levels = around.get(shape);
  if (levels !== undefined) return levels === 0 ? fc.constant({}) : within(levels);
  const most = Math.min(30, shape.recursion!.levels);
  return fc
    .oneof(
      { weight: 3, arbitrary: fc.integer({ min: 1, max: 3 }) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: most }) },
    )
    .chain(within);
};

const objects = (shape: ObjectSchema, around: Levels): Arbitrary<Readonly<Record<string, unknown>>> => {
  const ways = Object.keys(shape.fields).filter((name) => leadsBack(shape.fields[name]!.schema, around));
  if (ways.length === 0) return membersOf(shape, new Map());
  return fc.constantFrom(...ways).chain((way) => membersOf(shape, around, way));
};

/** `way`: the member with the deepest level. */
const membersOf = (shape: ObjectSchema, around: Levels, way?: string): Arbitrary<Readonly<Record<string, unknown>>> => {
  const fields = Object.entries(shape.fields);
  const all = fc.record(
    Object.fromEntries(
      fields.map(([name, field]) => [name, arbitrary(field.schema, name === way ? around : aside(around))]),
    ),
  );
  // From required fields only to all fields.
  const density = fc.constantFrom(0, 0.2, 0.5, 0.8, 1);
  const dice = fc.array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), {
    minLength: fields.length,
    maxLength: fields.length,
  });
  return fc.tuple(all, density, dice, fc.nat(11)).map(([whole, share, rolls, pick]) => {
    const rolled = fields.filter(([, field], at) => field.required || rolls[at]! < share).map(([name]) => name);
    if (way !== undefined) rolled.push(way);
    const present = obey(shape.choices, pick, new Set(rolled));
    // In normal form an empty optional object is absent.
    const chosen = fields.filter(([name]) => present.has(name) && !isEmpty(whole[name]));
    return Object.fromEntries(chosen.map(([name]) => [name, whole[name]]));
  });
};

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

const lists = (shape: ListSchema, around: Levels): Arbitrary<unknown> => {
  const { item, max } = shape;
  if (item.kind === 'object' && around.get(item) === 0) return fc.constant([]);
  const itemOf = (levels: Levels) => arbitrary(item, levels).filter((each) => !isEmpty(each));
  if (!leadsBack(item, around)) return fc.array(itemOf(around), { minLength: 1, maxLength: Math.min(max, 4) });
  const others = item.kind === 'object' && aside(around).get(item) === 0 ? 0 : Math.min(max - 1, 2);
  return fc
    .tuple(itemOf(around), fc.array(itemOf(aside(around)), { maxLength: others }))
    .map(([deepest, rest]) => [...rest, deepest]);
};

/** Canonical values of a schema. */
export const arbitrary = (shape: Schema, around: Levels = new Map()): Arbitrary<unknown> => {
  switch (shape.kind) {
    case 'list':
      return shape.joined ? sets(shape) : lists(shape, around);
    case 'map':
      return maps(shape);
    case 'object':
      return shape.recursion === undefined ? objects(shape, around) : recursiveObjects(shape, around);
    default:
      return scalars(shape);
  }
};
