/** Reads simple types: a built-in type with the facets of all restrictions from it, as a scalar of the contract. */
import {
  type BinarySchema,
  binary,
  binaryLengthMax,
  boolean,
  date,
  dateTime,
  decimal,
  decimalDigitsMax,
  double,
  integer,
  oneOf,
  type ScalarSchema,
  type Schema,
  string,
  textLengthMax,
  type XsdType,
} from '../../core/contract/index.ts';
import type { LocatedElement } from '../../core/xml/index.ts';
import { bytesMax, textMax } from '../../documents/index.ts';
import { type FindingCollector, Refused } from './findings.ts';
import { apacheUri, childNamed, encodingUri, nameIn, type QName, wsiUri, xmlMimeUri, xsdUri } from './names.ts';
import { matchingText } from './pattern.ts';
import { type PatternFault, patternFault } from './pattern-cost.ts';
import type { SchemaIndex } from './schema-index.ts';

/** What a type is in the contract. */
export interface ReadType {
  readonly schema: Schema;
  /** The text has lengths of its own where it stands, as the derived WSDL declares them. */
  readonly hasInlineLengths: boolean;
  /** The built-in type, where it is another one than that of the kind. */
  readonly xsd?: XsdType | undefined;
}

/** The built-in type at the end of a chain of restrictions, and what these restrict. */
interface Facets {
  readonly base: string;
  readonly patterns: readonly string[];
  readonly values: readonly string[];
  readonly single: Readonly<Record<string, string>>;
}

const depthMax = 32;

/** Values of an enumeration. */
const valuesMax = 10_000;

/** Different ones. */
const patternsMax = 2_000;

const reasons: Readonly<Record<PatternFault, string>> = {
  'other syntax': '',
  'too long': ': it is too long',
  'too deep': ': its groups are nested too deep',
  'too many steps': ': to match a text may take too long',
  'too many': `: the documents have more than ${patternsMax}`,
};

type Range = readonly [min: bigint | undefined, max: bigint | undefined];

/** Without an end where there is none. */
const integerRanges: Readonly<Record<string, Range>> = {
  byte: [-128n, 127n],
  short: [-32_768n, 32_767n],
  int: [-(2n ** 31n), 2n ** 31n - 1n],
  long: [-(2n ** 63n), 2n ** 63n - 1n],
  integer: [undefined, undefined],
  unsignedByte: [0n, 255n],
  unsignedShort: [0n, 65_535n],
  unsignedInt: [0n, 2n ** 32n - 1n],
  unsignedLong: [0n, 2n ** 64n - 1n],
  nonNegativeInteger: [0n, undefined],
  positiveInteger: [1n, undefined],
  nonPositiveInteger: [undefined, 0n],
  negativeInteger: [undefined, -1n],
};

/** Digits after the point where the type sets no limit. */
const fractionMax = 60;

/** Texts of these have a form that the contract does not check. */
const readAsText: ReadonlySet<string> = new Set([
  'time',
  'duration',
  'gYear',
  'gYearMonth',
  'gMonth',
  'gMonthDay',
  'gDay',
  'IDREFS',
  'NMTOKENS',
  'ENTITY',
  'ENTITIES',
]);

const texts: ReadonlySet<string> = new Set([
  ...['string', 'normalizedString', 'token', 'anyURI', 'language', 'Name', 'NCName', 'NMTOKEN', 'ID', 'IDREF'],
  ...readAsText,
]);

export class SimpleTypes {
  readonly #index: SchemaIndex;
  readonly #findings: FindingCollector;
  readonly #timeZone: string;
  /** Faults of patterns, by the length of their texts and themselves. */
  readonly #faults = new Map<string, PatternFault | undefined>();

  /** `timeZone`: of moments without one. */
  constructor(index: SchemaIndex, findings: FindingCollector, timeZone: string) {
    this.#index = index;
    this.#findings = findings;
    this.#timeZone = timeZone;
  }

  /** The type that an attribute names. `name`: of an enumeration that has none. */
  named(from: LocatedElement, type: QName, name: string): ReadType {
    const attached = attachedAs(type);
    if (attached !== undefined)
      return { schema: binary({ max: bytesMax, attached, example: 'AA==' }), hasInlineLengths: false };
    const declared = this.#index.find('simpleType', type);
    const named = declared === undefined ? name : (declared.element.attributes.get('name') ?? name);
    const facets = this.#facetsOf(from, type, 0);
    const schema = this.#scalar(from, facets, named);
    return { schema, hasInlineLengths: false, xsd: xsdTypeOf(schema, facets.base) };
  }

  /** The `simpleType` that stands inside of an element or an attribute. */
  inline(simpleType: LocatedElement, name: string): ReadType {
    const facets = this.#restricted(simpleType, 0);
    const hasInlineLengths = 'maxLength' in facets.single && facets.patterns.length === 0 && facets.base === 'string';
    const schema = this.#scalar(simpleType, facets, name);
    return { schema, hasInlineLengths, xsd: xsdTypeOf(schema, facets.base) };
  }

  #facetsOf(from: LocatedElement, type: QName, depth: number): Facets {
    if (depth > depthMax) throw new Refused(from, 'the type restricts itself');
    if (type.uri === xsdUri || type.uri === encodingUri || type.uri === xmlMimeUri)
      return { base: type.local === 'base64' ? 'base64Binary' : type.local, patterns: [], values: [], single: {} };
    const declared = this.#index.find('simpleType', type);
    if (declared === undefined)
      throw new Refused(from, `no type ${type.local} is declared in ${type.uri || 'no namespace'}`);
    return this.#restricted(declared.element, depth);
  }

  #restricted(simpleType: LocatedElement, depth: number): Facets {
    const restriction = childNamed(simpleType, xsdUri, 'restriction');
    if (restriction === undefined) {
      this.#findings.add('changed', simpleType, 'a list or a union of simple types is read as any text');
      return { base: 'string', patterns: [], values: [], single: {} };
    }
    const inner = childNamed(restriction, xsdUri, 'simpleType');
    const base = nameIn(restriction, 'base');
    if (inner === undefined && base === undefined) throw new Refused(restriction, 'the restriction has no base');
    const below =
      inner === undefined ? this.#facetsOf(restriction, base!, depth + 1) : this.#restricted(inner, depth + 1);
    const written = restriction.children.filter(({ namespace }) => namespace === xsdUri);
    const valuesOf = (local: string) =>
      written.filter((each) => each.local === local).map(({ attributes }) => attributes.get('value') ?? '');
    const patterns = valuesOf('pattern');
    const values = valuesOf('enumeration');
    const single = written
      .filter(({ local }) => !['pattern', 'enumeration', 'annotation', 'simpleType', 'attribute'].includes(local))
      .map(({ local, attributes }): [string, string] => [local, attributes.get('value') ?? '']);
    return {
      base: below.base,
      // Patterns of one restriction are alternatives.
      patterns:
        patterns.length === 0
          ? below.patterns
          : [...below.patterns, patterns.length === 1 ? patterns[0]! : `(?:${patterns.join('|')})`],
      values: values.length === 0 ? below.values : values,
      single: { ...below.single, ...Object.fromEntries(single) },
    };
  }

  #scalar(from: LocatedElement, facets: Facets, name: string): ScalarSchema {
    const { base, values } = facets;
    const range = integerRanges[base];
    if (base === 'QName' || base === 'NOTATION') {
      if (values.length > 0)
        this.#findings.add('changed', from, `the values of an enumeration of ${base} are not checked`);
      return string({ qualifiedName: true, example: '{urn:example}name' });
    }
    if (values.length > valuesMax) {
      this.#findings.add('changed', from, `an enumeration of more than ${valuesMax} values is a text`);
      return this.#text(from, { ...facets, base: 'string', patterns: [] });
    }
    if (values.length > 0 && base !== 'boolean') {
      if (!texts.has(base)) this.#findings.add('changed', from, `an enumeration of ${base} is one of texts`);
      return oneOf(name, ...new Set(values));
    }
    if (range !== undefined) return this.#integer(from, facets, range);
    if (texts.has(base)) return this.#text(from, facets);
    switch (base) {
      case 'boolean':
        return boolean(true);
      case 'dateTime':
        return this.#moment(from);
      case 'date':
        return date('2026-01-31');
      case 'decimal':
        return this.#decimal(from, facets);
      case 'float':
      case 'double':
        return double(1.5);
      case 'base64Binary':
        return this.#binary(from, facets);
      case 'hexBinary':
        this.#findings.add('changed', from, 'hexBinary is a text of hexadecimal digits');
        return string({ max: textMax, emptyString: 'present', pattern: '([0-9A-Fa-f]{2})*', example: '00FF' });
      default:
        throw new Refused(from, `the contract language has no ${base}`);
    }
  }

  #text(from: LocatedElement, { base, patterns, single }: Facets): ScalarSchema {
    if (readAsText.has(base)) this.#findings.add('changed', from, `${base} is a text whose form is not checked`);
    const length = countIn(single, 'length');
    const min = countIn(single, 'minLength') ?? length ?? 0;
    const max = countIn(single, 'maxLength') ?? length;
    if (max === 0) throw new Refused(from, 'a text that is always empty says nothing');
    if (min > longTextMax) throw new Refused(from, `a text has ${longTextMax} characters at most`);
    if (max !== undefined && max > longTextMax)
      this.#findings.add('changed', from, `a text has ${longTextMax} characters at most`);
    // A text with a form has a length of its own: to match a longer one may take too long.
    const hasForm = patterns.length > 0 || (base !== 'string' && base !== 'normalizedString');
    const bounded = max === undefined ? (hasForm ? undefined : Math.max(min, textMax)) : Math.min(max, longTextMax);
    const checked = this.#checked(from, patterns, min, bounded ?? textLengthMax);
    const canBeEmpty = min === 0 && (checked === undefined || matchesEmpty(checked.pattern));
    return string({
      ...(min > 0 && { min }),
      ...(bounded !== undefined && { max: bounded }),
      ...(canBeEmpty && { emptyString: 'present' }),
      ...(checked ?? { example: textOfLength(min, bounded ?? textLengthMax) }),
    });
  }

  /** The pattern with a text that matches it; undefined for one that is not checked. */
  #checked(
    from: LocatedElement,
    patterns: readonly string[],
    min: number,
    max: number,
  ): { readonly pattern: string; readonly example: string } | undefined {
    const [pattern, ...others] = patterns;
    if (pattern === undefined) return undefined;
    const fault = others.length > 0 ? 'other syntax' : this.#faultOf(pattern, max);
    const example = fault === undefined ? matchingText(pattern, min, max) : undefined;
    if (example !== undefined) return { pattern, example };
    this.#noteUnchecked(from, patterns, fault === undefined ? '' : reasons[fault]);
    return undefined;
  }

  #noteUnchecked(from: LocatedElement, patterns: readonly string[], reason = ''): void {
    if (patterns.length > 0)
      this.#findings.add('changed', from, `the pattern ${shortened(patterns.join(' and '))} is not checked${reason}`);
  }

  #faultOf(pattern: string, length: number): PatternFault | undefined {
    const key = `${length} ${pattern}`;
    if (!this.#faults.has(key))
      this.#faults.set(key, this.#faults.size < patternsMax ? patternFault(pattern, length) : 'too many');
    return this.#faults.get(key);
  }

  /** Servers that write no time zone mean their own, which no WSDL says. */
  #moment(from: LocatedElement): ScalarSchema {
    this.#findings.addOnce(
      'check',
      from,
      `a dateTime without a time zone is one of ${this.#timeZone}; --time-zone names that of the server`,
    );
    return dateTime(Date.UTC(2026, 0, 31, 12), { timeZone: this.#timeZone });
  }

  /** A number where every program has its value, and else a decimal without a fraction. */
  #integer(from: LocatedElement, { base, single, patterns }: Facets, range: Range): ScalarSchema {
    this.#noteUnchecked(from, patterns);
    const digits = Math.min(countIn(single, 'totalDigits') || decimalDigitsMax, decimalDigitsMax);
    const limit = 10n ** BigInt(digits) - 1n;
    const [above, below] = [integerIn(single, 'minExclusive'), integerIn(single, 'maxExclusive')];
    const min = greatest(-limit, range[0], integerIn(single, 'minInclusive'), plusOne(above));
    const max = -greatest(
      -limit,
      negated(range[1]),
      negated(integerIn(single, 'maxInclusive')),
      plusOne(negated(below)),
    );
    if (min > max) throw new Refused(from, `no ${base} is in its range`);
    const example = greatest(min, max < 1n ? max : 1n);
    if (min >= Number.MIN_SAFE_INTEGER && max <= Number.MAX_SAFE_INTEGER)
      return integer(Number(min), Number(max), Number(example));
    const digitsOf = (value: bigint) => String(value).replace('-', '').length;
    const size = Math.max(digitsOf(min), digitsOf(max));
    const all = 10n ** BigInt(size) - 1n;
    return decimal({
      digits: size,
      fraction: 0,
      ...(min > -all && { min: String(min) }),
      ...(max < all && { max: String(max) }),
      example: String(example),
    });
  }

  #decimal(from: LocatedElement, { single, patterns }: Facets): ScalarSchema {
    this.#noteUnchecked(from, patterns);
    const digits = Math.min(countIn(single, 'totalDigits') || decimalDigitsMax, decimalDigitsMax);
    const fraction = Math.min(countIn(single, 'fractionDigits') ?? Math.min(fractionMax, digits), digits);
    for (const facet of ['minExclusive', 'maxExclusive'])
      if (facet in single)
        this.#findings.add('changed', from, `${facet} ${single[facet]} is read as if the value were allowed`);
    const bound = (text: string | undefined) =>
      text !== undefined && /^-?\d{1,40}(?:\.\d{1,60})?$/.test(text) && (text.split('.')[1] ?? '').length <= fraction
        ? text
        : undefined;
    const min = bound(single.minInclusive ?? single.minExclusive);
    const max = bound(single.maxInclusive ?? single.maxExclusive);
    const example = min !== undefined && Number(min) > 1 ? min : max !== undefined && Number(max) < 1 ? max : '1';
    return decimal({ digits, fraction, ...(min !== undefined && { min }), ...(max !== undefined && { max }), example });
  }

  #binary(from: LocatedElement, { single }: Facets): ScalarSchema {
    const max = countIn(single, 'maxLength') ?? countIn(single, 'length') ?? bytesMax;
    if (max > binaryLengthMax) this.#findings.add('changed', from, `bytes are ${binaryLengthMax} at most`);
    const min = countIn(single, 'minLength') ?? countIn(single, 'length') ?? 0;
    return binary({
      max: Math.max(1, Math.min(max, binaryLengthMax)),
      ...(min === 0 && { whenEmpty: 'present' }),
      example: 'AA==',
    });
  }
}

/** Characters of a text whose type sets a greater limit, or none that a number has. */
const longTextMax = 16_777_216;

/** How values of a type are parts beside the envelope, whatever its document declares of it. */
function attachedAs({ uri, local }: QName): BinarySchema['attached'] {
  if (uri === wsiUri && local === 'swaRef') return 'swaRef';
  return uri === apacheUri && ['DataHandler', 'Image', 'octetstream'].includes(local) ? 'href' : undefined;
}

const ownTypes: ReadonlySet<string> = new Set<XsdType>([
  ...(['anyURI', 'byte', 'duration', 'float', 'gDay', 'gMonth', 'gMonthDay', 'gYear', 'gYearMonth'] as const),
  ...(['hexBinary', 'ID', 'IDREF', 'integer', 'language', 'Name', 'NCName', 'negativeInteger', 'NMTOKEN'] as const),
  'QName',
  ...(['nonNegativeInteger', 'nonPositiveInteger', 'normalizedString', 'positiveInteger', 'short', 'time'] as const),
  ...(['token', 'unsignedByte', 'unsignedInt', 'unsignedLong', 'unsignedShort', 'int', 'long'] as const),
]);

function isOwnType(base: string): base is XsdType {
  return ownTypes.has(base);
}

/** The type to declare, where the kind alone would be another one. */
function xsdTypeOf(schema: ScalarSchema, base: string): XsdType | undefined {
  if (!isOwnType(base)) return undefined;
  if (schema.kind === 'enum') return texts.has(base) ? base : undefined;
  if (schema.kind !== 'integer') return base;
  return base === (schema.min >= -(2 ** 31) && schema.max < 2 ** 31 ? 'int' : 'long') ? undefined : base;
}

/** Undefined for what counts nothing, like a negative length. */
function countIn(facets: Readonly<Record<string, string>>, name: string): number | undefined {
  const value = numberIn(facets, name);
  return value !== undefined && Number.isInteger(value) && value >= 0 ? value : undefined;
}

function numberIn(facets: Readonly<Record<string, string>>, name: string): number | undefined {
  const text = facets[name];
  const value = text === undefined || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
}

/** Undefined for what is no integer, or has more digits than a decimal. */
function integerIn(facets: Readonly<Record<string, string>>, name: string): bigint | undefined {
  const text = facets[name]?.trim().replace(/^\+/, '') ?? '';
  return /^-?\d{1,100}$/.test(text) ? BigInt(text) : undefined;
}

function negated(value: bigint | undefined): bigint | undefined {
  return value === undefined ? undefined : -value;
}

function plusOne(value: bigint | undefined): bigint | undefined {
  return value === undefined ? undefined : value + 1n;
}

function greatest(first: bigint, ...others: readonly (bigint | undefined)[]): bigint {
  return others.reduce<bigint>((most, each) => (each !== undefined && each > most ? each : most), first);
}

/** Whether the empty text matches a pattern. */
export function matchesEmpty(pattern: string): boolean {
  return new RegExp(`^(?:${pattern})$`).test('');
}

function shortened(pattern: string): string {
  return pattern.length <= 200 ? pattern : `${pattern.slice(0, 200)}...`;
}

function textOfLength(min: number, max: number): string {
  const text = 'text';
  return text.padEnd(min, 'x').slice(0, Math.max(1, max));
}
