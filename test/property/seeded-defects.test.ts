/** Seeded defects: each property finds a defect in any one codec. */
import { Buffer } from 'node:buffer';
import { describe, expect, test } from '@jest/globals';
import { type Issue, Problem } from '../../src/core/contract/problem.ts';
import type { Protocol } from '../../src/core/formats/protocol.ts';
import {
  createProtocols,
  type NamedProtocol,
  namedProtocols,
  type Protocols,
} from '../../src/core/formats/wire-formats.ts';
import { services } from '../../src/payments/index.ts';
import { anyBytesAreDecodedOrRefused, largeBodiesAreDecodedInTime } from './arbitrary-bytes.ts';
import { bodyMsMax, cpuMs } from './cpu-time.ts';
import { messagesMatchDocuments } from './documents.ts';
import { namesOf, operationsOf, type Property } from './property.ts';
import { formatsRefuseAlike, spellingsAreEquivalent, unencodableTextIsRefused } from './refusal.ts';
import { answersRoundTrip, requestsRoundTrip } from './round-trip.ts';

type Change = (text: string) => string;

/** The same tree with every text changed. */
const eachText = (value: unknown, change: Change): unknown => {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => eachText(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, eachText(each, change)]));
};

const withInput = (protocol: Protocol, change: (input: unknown) => unknown): Protocol => ({
  ...protocol,
  decode(...call) {
    const decoded = protocol.decode(...call);
    return { ...decoded, input: change(decoded.input) };
  },
});

const swapReferences = (input: unknown): unknown => {
  if (typeof input !== 'object' || input === null) return input;
  const { merchantAccount, shopperReference, ...rest } = input as Readonly<Record<string, unknown>>;
  return { ...rest, merchantAccount: shopperReference, shopperReference: merchantAccount };
};

const withoutIssues = (protocol: Protocol, problem: string): Protocol => ({
  ...protocol,
  decode(...call) {
    const decoded = protocol.decode(...call);
    return { ...decoded, issues: decoded.issues.filter((each) => each.kind.name !== problem) };
  },
});

const withShown = (protocol: Protocol, change: (issues: readonly Issue[]) => readonly Issue[]): Protocol => ({
  ...protocol,
  encodeError(problem, context) {
    const issues = change(problem.issues);
    const [first] = issues;
    return protocol.encodeError(new Problem(first?.kind ?? problem.kind, first?.message, { issues }), context);
  },
});

const busyMs = 1.2 * bodyMsMax;
const slow = (protocol: Protocol): Protocol => ({
  ...protocol,
  decode(body, ...rest) {
    const end = cpuMs() + (body.length > 60_000 ? busyMs : 0);
    while (cpuMs() < end);
    return protocol.decode(body, ...rest);
  },
});

/** More than the real code gets: a defect ends the search when it is found. */
const usualRuns = 150;

interface Seeded {
  readonly property: Property;
  readonly defect: string;
  readonly seed: (protocol: Protocol) => Protocol;
  readonly runs?: number;
}

const noZeros: Change = (text) => text.replace(/^0+/, '');

const seeded: readonly Seeded[] = [
  {
    property: requestsRoundTrip,
    defect: 'drops leading zeros',
    seed: (protocol) => withInput(protocol, (input) => eachText(input, noZeros)),
  },
  {
    property: requestsRoundTrip,
    defect: 'trims texts',
    seed: (protocol) => withInput(protocol, (input) => eachText(input, (text) => text.trim())),
  },
  {
    property: answersRoundTrip,
    defect: 'encodes only three digits of a number',
    seed: (protocol) => ({
      ...protocol,
      encode(operation, output) {
        return protocol.encode(
          operation,
          eachText(output, (text) => text.replace(/(\d{3})\d+/g, '$1')),
        );
      },
    }),
  },
  {
    property: requestsRoundTrip,
    defect: 'swaps two fields',
    seed: (protocol) => withInput(protocol, swapReferences),
  },
  {
    property: spellingsAreEquivalent,
    defect: 'decodes fields in the order of the message',
    seed: (protocol) =>
      withInput(protocol, (input) => Object.fromEntries(Object.entries(input as Record<string, unknown>).reverse())),
  },
  {
    property: formatsRefuseAlike,
    defect: 'accepts an unknown field',
    seed: (protocol) => withoutIssues(protocol, 'unknownField'),
  },
  {
    property: formatsRefuseAlike,
    defect: 'accepts a text that is too long',
    seed: (protocol) => withoutIssues(protocol, 'tooLong'),
  },
  {
    property: formatsRefuseAlike,
    defect: 'shows the first issue alone',
    seed: (protocol) => withShown(protocol, (issues) => issues.slice(0, 1)),
  },
  {
    property: formatsRefuseAlike,
    defect: 'shows another issue first',
    seed: (protocol) => withShown(protocol, (issues) => issues.toReversed()),
  },
  {
    property: unencodableTextIsRefused,
    defect: 'drops characters that it cannot represent',
    seed: (protocol) => ({
      ...protocol,
      decode: (body, ...rest) => {
        const silent = ['%00', '%01', '\\u0000', '\\u0001', '\u0000', '\u0001'];
        const plain = silent.reduce((text, each) => text.replaceAll(each, ''), body.toString('latin1'));
        return protocol.decode(Buffer.from(plain, 'latin1'), ...rest);
      },
    }),
  },
  {
    property: messagesMatchDocuments,
    defect: 'encodes a wrong name or namespace',
    seed: (protocol) => ({
      ...protocol,
      encode(operation, output) {
        const { body, ...message } = protocol.encode(operation, output);
        const wrong = body.replace('http://recurring.', 'http://wrong.').replace(/^([{]"|)[a-z]+(?=["=])/, '$1wrong');
        // The pairs of the adapter have a prefix.
        return { ...message, body: wrong.replace(/^(\w+[.])\w+/, '$1wrong') };
      },
    }),
    runs: 40,
  },
  {
    property: anyBytesAreDecodedOrRefused,
    defect: "throws the parser's own error",
    seed: (protocol) => ({
      ...protocol,
      decode(body, ...rest) {
        new TextDecoder('utf-8', { fatal: true }).decode(body);
        return protocol.decode(body, ...rest);
      },
    }),
  },
  { property: largeBodiesAreDecodedInTime, defect: 'is slow with a large body', seed: slow },
];

const sound = createProtocols(services);
const subjects = operationsOf(services);

/** `name`: of the defective format, which not every version has. */
const findIn = (
  name: NamedProtocol,
  protocols: Protocols,
  { property, runs = usualRuns }: Seeded,
): string | undefined => {
  for (const { service, operation } of subjects) {
    if (!namesOf({ protocols, service }).includes(name)) continue;
    const found = property({ protocols, service, operation, runs, unshrunk: true });
    if (found !== undefined) return found;
  }
  return undefined;
};

describe.each(namedProtocols)('a defect in %s', (name: NamedProtocol) => {
  test.each(seeded)('$defect: found by $property.name', (each) => {
    const mutant = Object.freeze({ ...sound, [name]: Object.freeze(each.seed(sound[name])) });
    expect(findIn(name, mutant, each)).toContain(name);
  });
});
