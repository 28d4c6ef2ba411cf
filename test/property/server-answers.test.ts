/** Properties of the reading of other servers' answers, for every operation, and the defects that they must find. */

import { Buffer } from 'node:buffer';
import { describe, expect, test } from '@jest/globals';
import fc, { type Arbitrary } from 'fast-check';
import { conventionsOfMessages } from '../../src/core/contract/conventions.ts';
import { isBound } from '../../src/core/contract/operation.ts';
import { dotted, type Path } from '../../src/core/contract/path.ts';
import { type Issue, Problem, type ProblemKind } from '../../src/core/contract/problem.ts';
import type { ObjectSchema, Schema } from '../../src/core/contract/schema.ts';
import { boundOperations, problemsOf, type Service } from '../../src/core/contract/service.ts';
import { partsIn } from '../../src/core/contract/walk.ts';
import type { DecodedAnswer, MessageCodec, RefusedAnswer, Reply } from '../../src/core/formats/protocol.ts';
import type { Message } from '../../src/core/formats/wire.ts';
import { createProtocols, type ProtocolName } from '../../src/core/formats/wire-formats.ts';
import { services } from '../../src/payments/index.ts';
import { formats } from '../formats/index.ts';
import { arbitrary } from '../support/generate.ts';
import { type Edit, edit, noise } from './arbitrary-bytes.ts';
import { namesOf, type Property, runs, type Subject, search } from './property.ts';
import { precisionOf, rounded } from './round-trip.ts';
import { subjects } from './subjects.ts';

const formatsOf = (subject: Subject): readonly ProtocolName[] =>
  isBound(subject.operation) ? ['rest'] : namesOf(subject);

/** The response that a client receives of a message. */
const replyOf = ({ status, contentType, headers, body }: Message): Reply => ({
  status,
  media: { type: contentType.split(';')[0]!, charset: 'utf-8' },
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  body: Buffer.from(body),
});

const textOf = (answer: DecodedAnswer | RefusedAnswer): string => JSON.stringify(answer);

const answersAreRead: Property = (subject) => {
  const { protocols, service, operation } = subject;
  return search(arbitrary(operation.output), subject, (output) => {
    for (const name of formatsOf(subject)) {
      const message = protocols[name].encode(operation, output);
      const value = rounded(operation.output, output, precisionOf(name, service));
      const expected = JSON.stringify({ value, issues: [], unknownMembers: [] });
      const read = textOf(protocols[name].decodeAnswer(operation, replyOf(message)));
      if (read !== expected)
        return `${name}: the answer\n  ${expected}\nis read as\n  ${read}\nfrom\n  ${message.body}`;
    }
    return undefined;
  });
};

/** JSON that no contract here has. */
const extra: Arbitrary<string> = fc.constantFrom(
  'null',
  'true',
  '""',
  '12345678901234567890.123456789',
  '1e400',
  '[]',
  '{}',
  '[1,{"deep":[[0.1000]]},"x"]',
  '{"__proto__":{"a":1},"id":"007"}',
);

/** Adds a member to each object of a JSON text that the contract describes, in turn one of these. */
const addMembers = (body: string, extras: readonly string[]): string => {
  let count = 0;
  return body.replace(/\{(?="|\})|"(?:[^"\\]|\\.)*"/g, (token, at: number) => {
    if (token !== '{') return token;
    const added = `"x.added":${extras[count++ % extras.length]}`;
    return body[at + 1] === '}' ? `{${added}` : `{${added},`;
  });
};

/** Members that the contract does not have come back at their place, with every digit. Only for objects of the contract. */
const unknownMembersPass: Property = (subject) => {
  const { protocols, service, operation } = subject;
  if (hasMapOrWrapped(operation.output)) return undefined;
  const name = isBound(operation) ? 'rest' : 'json';
  const values = fc.tuple(arbitrary(operation.output), fc.array(extra, { minLength: 1, maxLength: 3 }));
  return search(values, subject, ([output, extras]) => {
    const message = protocols[name].encode(operation, output);
    const body = addMembers(message.body, extras);
    const read = protocols[name].decodeAnswer(operation, replyOf({ ...message, body }));
    if ('refusal' in read) return 'the answer is read as a refusal';
    const expected = rounded(operation.output, output, precisionOf(name, service));
    if (JSON.stringify(read.value) !== JSON.stringify(expected) || read.issues.length > 0)
      return `${body} is read as ${textOf(read)}`;
    const again = protocols[name].encode(operation, read.value, read.extras).body;
    return sorted(again) === sorted(body) ? undefined : `${body}\nbecomes\n${again}`;
  });
};

/** The tokens of a JSON text in one order: members may be in any. */
const sorted = (json: string): string => (json.match(/"(?:[^"\\]|\\.)*"|[^",[\]{}:]+/g) ?? []).sort().join();

const hasMapOrWrapped = (schema: Schema): boolean =>
  partsIn(schema).some(
    ({ schema: { kind, ...each } }) => kind === 'map' || (kind === 'list' && 'wrapped' in each && each.wrapped),
  );

/** A path to some part of a schema. */
const pathIn = (schema: Schema): Arbitrary<Path> => {
  if (schema.kind === 'list' && !schema.joined)
    return fc
      .tuple(fc.nat(40), pathIn(schema.item))
      .map(([index, rest]) => [{ index, itemName: schema.itemName, wrapped: schema.wrapped }, ...rest]);
  const names = schema.kind === 'object' ? Object.keys((schema as ObjectSchema).fields) : [];
  if (names.length === 0 || schema.kind !== 'object') return fc.constant([]);
  return fc
    .constantFrom(...names)
    .chain((name) => pathIn(schema.fields[name]!.schema).map((rest): Path => [name, ...rest]));
};

const message: Arbitrary<string> = fc.constantFrom(
  'Invalid card number',
  'a: b',
  'é <&> "x"',
  '100% of 1+1=2',
  "l'été",
);

const problem = (subject: Subject): Arbitrary<Problem> => {
  const kinds: readonly ProblemKind[] = [...problemsOf(subject.service).values()];
  const issue = fc
    .tuple(fc.constantFrom(...kinds), pathIn(subject.operation.input), message)
    .map(([kind, path, text]): Issue => ({ kind, path, message: text }));
  return fc
    .tuple(fc.constantFrom(...kinds), message, fc.array(issue, { maxLength: 3 }))
    .map(([kind, text, issues]) => new Problem(kind, issues[0]?.message ?? text, { issues }));
};

/** The facts of a problem that a format carries. */
const carried = (
  name: ProtocolName,
  { status, code, type, message, issues }: Problem,
  sharedStatus: number,
  service: Service,
) => {
  // The id in the body of a resource has the name of the one in its path: on the wire they are one.
  // An unknown member keeps the name that its caller wrote.
  const nameOf = ({ kind, path }: Issue) =>
    kind.name === 'unknownField' ? dotted(path) : dotted(path).replace(/^sameId$/, 'id');
  const shown = issues.map((issue) => [nameOf(issue), issue.message]);
  if (name === 'rest') return { status, message, issues: shown };
  if (formats[name].status422 === 422) return { status, code, type, message, issues: shown };
  // With plain errors, the text says a single issue, without its coordinates. A status of the format stands for most others.
  const showsOne = name !== 'adapter' && conventionsOfMessages(service).errors !== 'plain';
  return {
    ...(sharedStatus === 500 || sharedStatus === 400 ? {} : { status }),
    ...{ code, type, message },
    issues: shown.length > (showsOne ? 0 : 1) ? shown : [],
  };
};

const refusalsAreRead: Property = (subject) => {
  const { protocols, operation, service } = subject;
  return search(problem(subject), subject, (refused) => {
    for (const name of formatsOf(subject)) {
      const answer = protocols[name].encodeError(refused, { requestReference: 'ABCDEFGH12345678', operation, service });
      const read = protocols[name].decodeError(replyOf(answer), operation);
      if (read === undefined) return `${name}: no refusal is read from ${answer.body}`;
      const expected = carried(name, refused, answer.status, service);
      const found: Record<string, unknown> = {
        ...read,
        issues: read.issues.map((each) => [dotted(each.path), each.message]),
      };
      const compared = Object.fromEntries(Object.keys(expected).map((key) => [key, found[key]]));
      if (JSON.stringify(compared) !== JSON.stringify(expected))
        return `${name}: ${JSON.stringify(expected)}\nis read as\n${JSON.stringify(compared)}\nfrom\n${answer.body}`;
    }
    return undefined;
  });
};

type Draw = (name: ProtocolName) => Buffer;

const changed = (body: string, edits: readonly Edit[]): Buffer => {
  let bytes: Buffer = Buffer.from(body);
  for (const each of edits) bytes = each(bytes);
  return bytes;
};

/** Any bytes of another server are read, or refused with a Problem; what is read can be answered in every format. */
const anyBytesAreRead: Property = (subject) => {
  const { protocols, operation, service } = subject;
  const edits = fc.array(edit, { maxLength: 4 });
  const context = { requestReference: 'ABCDEFGH12345678', operation, service };
  const answers = fc.tuple(arbitrary(operation.output), edits).map(
    ([output, all]): Draw =>
      (name) =>
        changed(protocols[name].encode(operation, output).body, all),
  );
  const refusals = fc.tuple(problem(subject), edits).map(
    ([refused, all]): Draw =>
      (name) =>
        changed(protocols[name].encodeError(refused, context).body, all),
  );
  const draws = fc.oneof(
    { weight: 6, arbitrary: answers },
    { weight: 2, arbitrary: refusals },
    {
      weight: 1,
      arbitrary: noise.map(
        (bytes): Draw =>
          () =>
            Buffer.from(bytes),
      ),
    },
  );
  return search(draws, subject, (draw) => {
    for (const name of formatsOf(subject)) {
      const body = draw(name);
      const fault = readAny(subject, name, { status: 500, media: { type: '', charset: undefined }, headers: {}, body });
      if (fault !== undefined) return `${name}: ${fault} for ${JSON.stringify(body.toString('latin1'))}`;
    }
    return undefined;
  });
};

const readAny = ({ protocols, operation, service }: Subject, name: ProtocolName, reply: Reply): string | undefined => {
  const protocol = protocols[name];
  const context = { requestReference: 'ABCDEFGH12345678', operation, service };
  const refused = protocol.decodeError(reply, operation);
  if (refused !== undefined) {
    const kind = { name: 'x', status: 422, code: refused.code ?? '000', type: 'validation', message: 'x' };
    const issues = refused.issues.map((each): Issue => ({ ...each, kind }));
    for (const each of isBound(operation) ? [] : namesOf({ protocols, service }))
      protocols[each].encodeError(new Problem(kind, refused.message, { issues }), context);
    protocols.json?.encodeError(new Problem(kind, refused.message, { issues }), context);
  }
  try {
    const read = protocol.decodeAnswer(operation, reply);
    if ('refusal' in read || read.issues.length > 0) return undefined;
    const { body } = protocol.encode(operation, read.value, read.extras);
    const again = protocol.decodeAnswer(operation, {
      ...reply,
      media: { type: '', charset: 'utf-8' },
      body: Buffer.from(body),
    });
    if ('refusal' in again) return 'an answer becomes a refusal';
    const ms = precisionOf(name, service);
    const moment = ms > 1 ? rounded(operation.output, read.value, ms) : read.value;
    return JSON.stringify(withoutHeaders(again.value, moment)) === JSON.stringify(withoutHeaders(moment, again.value))
      ? undefined
      : `${JSON.stringify(moment)} is read again as ${JSON.stringify(again.value)}`;
  } catch (thrown) {
    return thrown instanceof Problem ? undefined : `throws ${(thrown as Error).stack}`;
  }
};

/** The members that both have: those of headers are not in a body. */
const withoutHeaders = (value: unknown, other: unknown): unknown =>
  Object.fromEntries(Object.entries(value as object).filter(([name]) => Object.hasOwn(other as object, name)));

const few = Math.ceil(runs / 10);
const protocols = createProtocols(services);
const bound = services.flatMap((service) =>
  boundOperations(service).map((operation) => ({ service, operation, protocols, title: operation.name })),
);
const all: readonly (Subject & { readonly title: string })[] = [...subjects, ...bound].map((each) => ({
  ...each,
  runs: few,
}));

const properties: Readonly<Record<string, Property>> = {
  'an answer is read as it was written': answersAreRead,
  'members that the contract does not have pass': unknownMembersPass,
  'a refusal is read as it was written': refusalsAreRead,
  'any bytes are read or refused': anyBytesAreRead,
};

describe.each(all)('$title', (subject) => {
  test.each(Object.entries(properties))('%s', (_, property) => {
    expect(property(subject)).toBeUndefined();
  });
});

type Codec = Pick<MessageCodec, 'decodeAnswer' | 'decodeError'>;

/** Each defect, and the property that must find it. */
const defects: Record<string, readonly [Property, (codec: Codec) => Partial<Codec>]> = {
  'loses an optional member': [
    answersAreRead,
    ({ decodeAnswer }) => ({
      decodeAnswer: (operation, reply) => {
        const read = decodeAnswer(operation, reply);
        if ('refusal' in read) return read;
        const entries = Object.entries(read.value as object).slice(0, -1);
        return { ...read, value: Object.fromEntries(entries) };
      },
    }),
  ],
  'drops unknown members': [
    unknownMembersPass,
    ({ decodeAnswer }) => ({
      decodeAnswer(operation, reply) {
        const { extras: _, ...read } = { extras: undefined, ...decodeAnswer(operation, reply) };
        return read;
      },
    }),
  ],
  'rounds unknown numbers': [
    unknownMembersPass,
    ({ decodeAnswer }) => ({
      decodeAnswer: (operation, reply) => {
        const read = decodeAnswer(operation, reply);
        if (!('extras' in read)) return read;
        const { members, json = '{}' } = read.extras;
        return { ...read, extras: { members, json: JSON.stringify(JSON.parse(json)) } };
      },
    }),
  ],
  'forgets where a field is wrong': [
    refusalsAreRead,
    ({ decodeError }) => ({
      decodeError: (reply, operation) => {
        const read = decodeError(reply, operation);
        return read && { ...read, issues: read.issues.map((issue) => ({ ...issue, path: [] })) };
      },
    }),
  ],
  'loses the code of a refusal': [
    refusalsAreRead,
    ({ decodeError }) => ({
      decodeError: (reply, operation) => {
        const read = decodeError(reply, operation);
        return read && { ...read, code: '000' };
      },
    }),
  ],
};

Object.assign(defects, {
  'throws what is no Problem': [
    anyBytesAreRead,
    ({ decodeAnswer }: Codec) => ({
      decodeAnswer: ((operation, reply) => {
        if (reply.body.includes(0)) throw new TypeError('a defect');
        return decodeAnswer(operation, reply);
      }) satisfies Codec['decodeAnswer'],
    }),
  ],
});

describe('defects that must be found', () => {
  const subject = all.find(({ operation }) => operation.name === 'listRecurringDetails')!;
  const resource = all.find(({ operation }) => operation.name === 'getBalancePlatform')!;
  test.each(Object.entries(defects))('%s', (_, [property, defect]) => {
    const base = property === unknownMembersPass ? resource : subject;
    const broken = Object.fromEntries(
      Object.entries(base.protocols).map(([name, protocol]) => [name, { ...protocol, ...defect(protocol) }]),
    ) as unknown as Subject['protocols'];
    expect(property({ ...base, protocols: broken, runs: 2_000, unshrunk: true })).toBeDefined();
  });
});
