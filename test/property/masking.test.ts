/** Nothing that a format reads as sensitive is in the masked text of its message, however the message spells it. */
import { Buffer } from 'node:buffer';
import { describe, expect, test } from '@jest/globals';
import fc, { type Arbitrary } from 'fast-check';
import type { Operation } from '../../src/core/contract/operation.ts';
import { Problem } from '../../src/core/contract/problem.ts';
import type { Schema } from '../../src/core/contract/schema.ts';
import type { Service } from '../../src/core/contract/service.ts';
import { type Decoded, OtherFormat } from '../../src/core/formats/protocol.ts';
import type { TextTools } from '../../src/core/formats/text-tools.ts';
import type { NamedProtocol } from '../../src/core/formats/wire-formats.ts';
import { type DescribeParts, describePartsOf, maskRequest } from '../../src/insight/traffic/describe-request.ts';
import { formats } from '../formats/index.ts';
import { arbitrary } from '../support/generate.ts';
import { type Edit, edit } from './arbitrary-bytes.ts';
import { namesOf, runs, type Subject, search } from './property.ts';
import { subjects } from './subjects.ts';

/** Texts at the members that a contract calls sensitive, and at all others. */
interface Texts {
  readonly sensitive: string[];
  readonly others: string[];
}

const collect = (schema: Schema, value: unknown, texts: Texts): Texts => {
  if (value === undefined || value === null) return texts;
  if (schema.kind === 'object')
    for (const [name, field] of Object.entries(schema.fields))
      collect(field.schema, (value as Readonly<Record<string, unknown>>)[name], texts);
  else if (schema.kind === 'list' && !schema.joined)
    for (const item of value as readonly unknown[]) collect(schema.item, item, texts);
  else {
    const isSensitive = schema.kind === 'string' && (schema.sensitive || schema.neverStored);
    (isSensitive ? texts.sensitive : texts.others).push(JSON.stringify(value));
  }
  return texts;
};

interface Hostile {
  readonly turns: readonly number[];
  readonly edits: readonly Edit[];
  readonly isUtf16: boolean;
  readonly hasMark: boolean;
}

const hostile: Arbitrary<Hostile> = fc.record({
  turns: fc.array(fc.nat(20), { minLength: 1, maxLength: 12 }),
  edits: fc.oneof(fc.constant([]), fc.array(edit, { maxLength: 3 })),
  isUtf16: fc.boolean(),
  hasMark: fc.boolean(),
});

const bodyOf = (name: NamedProtocol, text: string, { turns, edits, isUtf16, hasMark }: Hostile): Buffer => {
  let at = 0;
  const spelt = formats[name].spell(text, () => turns[at++ % turns.length] ?? 0);
  const { hasByteOrderMark, isUtf16: mayBeUtf16 } = formats[name].charsets;
  const marked = hasByteOrderMark && (hasMark || isUtf16) ? `\ufeff${spelt}` : spelt;
  const bytes = mayBeUtf16 && isUtf16 ? Buffer.from(marked, 'utf16le') : Buffer.from(marked);
  return edits.reduce<Buffer>((body, each) => each(body), bytes);
};

/** A text with every spelling undone, with and without the markup inside of a value. Tags stay: two values beside each other are no leak. */
const readings = (text: string): readonly string[] => {
  const plain = text
    .replace(/\\u([\da-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/&#(?:x([\da-f]+)|(\d+));/gi, (_, hex?: string, digits?: string) =>
      String.fromCodePoint(Math.min(hex === undefined ? Number(digits) : Number.parseInt(hex, 16), 0x10ffff)),
    )
    .replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return [plain, plain.replace(/<!\[CDATA\[|\]\]>/g, ''), plain.replace(/<[!?][^>]*>/g, '')];
};

type Mask = (body: Buffer, name: NamedProtocol, service: Service, operation: Operation) => string;

/** Returns a leak. The plain protocols read the message, so the masking is held to what the gateway has read. */
const findLeak = (subject: Subject, mask: Mask): string | undefined => {
  const { protocols, service, operation } = subject;
  return search(fc.tuple(arbitrary(operation.input), hostile), subject, ([input, how]) => {
    for (const name of namesOf(subject)) {
      const { body: text } = protocols[name].encodeRequest(service, operation, input);
      const body = bodyOf(name, text, how);
      const read = decoded(subject, name, body);
      if (read === undefined) continue;
      const { sensitive, others } = collect(read.operation.input, read.input, { sensitive: [], others: [] });
      const namespaces = text.match(/https?:[^"]+/g) ?? [];
      const secrets = sensitive
        .map((each) => JSON.parse(each) as string)
        .filter((each) => /\d{3}/.test(each) && [...others, ...namespaces].every((other) => !other.includes(each)));
      if (secrets.length === 0) continue;
      const shown = readings(mask(body, name, service, read.operation));
      const leaked = secrets.find((each) => shown.some((reading) => reading.includes(each)));
      if (leaked !== undefined) return `${name} shows ${leaked} of\n${body.toString('latin1')}`;
    }
    return undefined;
  });
};

/** Undefined for a message that the gateway refuses to read. */
const decoded = (
  { protocols, service, operation }: Subject,
  name: NamedProtocol,
  body: Buffer,
): Decoded | undefined => {
  const { mediaType, decode } = protocols[name];
  const target = { service, version: service.version, operation: name === 'adapter' ? undefined : operation };
  try {
    return decode(body, { type: mediaType, charset: undefined }, target, { query: '', headers: {} });
  } catch (thrown) {
    if (thrown instanceof Problem || thrown instanceof OtherFormat) return undefined;
    throw thrown;
  }
};

const maskWith =
  (parts: DescribeParts): Mask =>
  (body, format, service, operation) =>
    maskRequest(body, undefined, { format, service: service.name, operation }, parts).text;

const partsOf = ({ service }: Subject): DescribeParts => describePartsOf([service], (text) => text);

describe.each(subjects)('$title', (subject) => {
  test('no sensitive value is in the masked text of a message', () => {
    const few = { ...subject, runs: Math.ceil(subject.runs / 4) };
    expect(findLeak(few, maskWith(partsOf(subject)))).toBeUndefined();
  });
});

describe('control', () => {
  const stored = subjects.filter(({ operation }) => operation.name === 'storeToken');
  const subject = { ...stored.findLast((each) => namesOf(each).includes('adapter'))!, runs, unshrunk: true } as const;

  test('the messages that are read have sensitive values in every format', () => {
    const seen = new Map<string, number>();
    const mask = maskWith(partsOf(subject));
    findLeak(subject, (body, name, service, operation) => {
      seen.set(name, (seen.get(name) ?? 0) + 1);
      return mask(body, name, service, operation);
    });
    for (const name of namesOf(subject)) expect([name, (seen.get(name) ?? 0) > runs / 10]).toEqual([name, true]);
  });

  test.each(namesOf(subject))('a mask that looks for names as they were sent leaks in %s', (only) => {
    const mask: Mask = (body, name) => (name === only ? body.toString().replace(formats[name].cardValues, '"x"') : '');
    expect(findLeak(subject, mask)).toContain(`${only} shows`);
  });

  const withTools = (
    change: (tools: TextTools) => Partial<TextTools>,
    reread = partsOf(subject).reread,
  ): DescribeParts => ({
    ...partsOf(subject),
    reread: {
      ...reread,
      protocol(name) {
        const protocol = reread.protocol(name);
        return protocol && { ...protocol, text: { ...protocol.text, ...change(protocol.text) } };
      },
    },
  });

  test('a reader of parts that takes CDATA for markup leaks', () => {
    const parts = withTools((tools) => ({
      parts: (text) => tools.parts(text)?.filter(({ kind }) => kind !== 'remark'),
    }));
    // One in hundreds of messages has a secret in CDATA.
    expect(findLeak({ ...subject, runs: 5_000 }, maskWith(parts))).toMatch(/soap1[12] shows/);
  });

  test('a reader of parts that overlooks one value leaks', () => {
    const parts = withTools((tools) => ({
      parts: (text) => tools.parts(text)?.filter(({ kind }, at) => kind !== 'value' || at % 7 !== 0),
    }));
    expect(findLeak(subject, maskWith(parts))).toContain('shows');
  });

  test('a walk that takes the name of a field for another leaks', () => {
    const parts = partsOf(subject);
    const reread = {
      ...parts.reread,
      request: (...call: Parameters<DescribeParts['reread']['request']>) =>
        parts.reread.request(...call).map((each) => ({ ...each, schema: { kind: 'string', example: '' } as const })),
    };
    expect(findLeak(subject, maskWith({ ...parts, reread }))).toContain('shows');
  });
});
