/** The control of the laws: each of them finds a defect that is sown into one codec, whichever codec it is. */
import { Buffer } from 'node:buffer';
import { describe, expect, test } from '@jest/globals';
import { createProtocols, type Protocols } from '../../src/formats/index.ts';
import type { NamedProtocol, Protocol } from '../../src/formats/protocol.ts';
import { services } from '../../src/services/index.ts';
import { cpuMs } from './cpu-time.ts';
import { documentsTellTheTruth } from './documents.ts';
import { type Law, namesOf, operationsOf } from './property.ts';
import { refusalsAgree, spellingsAgree, unspeakableRefused } from './refusal.ts';
import { answersReturn, protocolsAgree, requestsReturn } from './round-trip.ts';
import { bytesAreReadOrRefused, bytesAreReadSoon } from './total.ts';

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

const busyMs = 120;
const slow = (protocol: Protocol): Protocol => ({
  ...protocol,
  decode(body, ...rest) {
    const end = cpuMs() + (body.length > 60_000 ? busyMs : 0);
    while (cpuMs() < end);
    return protocol.decode(body, ...rest);
  },
});

interface Seeded {
  readonly law: Law;
  readonly defect: string;
  readonly sow: (protocol: Protocol) => Protocol;
  readonly runs?: number;
}

const noZeros: Change = (text) => text.replace(/^0+/, '');

const seeded: readonly Seeded[] = [
  {
    law: requestsReturn,
    defect: 'drops zeros in front',
    sow: (protocol) => withInput(protocol, (input) => eachText(input, noZeros)),
  },
  {
    law: requestsReturn,
    defect: 'trims texts',
    sow: (protocol) => withInput(protocol, (input) => eachText(input, (text) => text.trim())),
  },
  {
    law: answersReturn,
    defect: 'prints no more than three digits in a row',
    sow: (protocol) => ({
      ...protocol,
      encode(operation, output) {
        return protocol.encode(
          operation,
          eachText(output, (text) => text.replace(/(\d{3})\d+/g, '$1')),
        );
      },
    }),
  },
  { law: protocolsAgree, defect: 'swaps two fields', sow: (protocol) => withInput(protocol, swapReferences) },
  {
    law: spellingsAgree,
    defect: 'gives the fields in the order of the wire',
    sow: (protocol) =>
      withInput(protocol, (input) => Object.fromEntries(Object.entries(input as Record<string, unknown>).reverse())),
  },
  { law: refusalsAgree, defect: 'takes an unknown field', sow: (protocol) => withoutIssues(protocol, 'unknownField') },
  { law: refusalsAgree, defect: 'takes what is too long', sow: (protocol) => withoutIssues(protocol, 'tooLong') },
  {
    law: unspeakableRefused,
    defect: 'leaves out what it cannot say',
    sow: (protocol) => ({
      ...protocol,
      decode: (body, ...rest) => {
        const silent = ['%00', '%01', '\\u0000', '\\u0001', '\u0000', '\u0001'];
        const plain = silent.reduce((text, each) => text.replaceAll(each, ''), body.toString('latin1'));
        return protocol.decode(Buffer.from(plain, 'latin1'), ...rest);
      },
    }),
  },
  {
    law: documentsTellTheTruth,
    defect: 'prints a wrong name or namespace',
    sow: (protocol) => ({
      ...protocol,
      encode(operation, output) {
        const { body, ...message } = protocol.encode(operation, output);
        const wrong = body.replace('http://recurring.', 'http://wrong.').replace(/^([{]"|)[a-z]+(?=["=])/, '$1wrong');
        // The pairs of the adapter have a prefix, which counts for nothing here.
        return { ...message, body: wrong.replace(/^(\w+[.])\w+/, '$1wrong') };
      },
    }),
    runs: 40,
  },
  {
    law: bytesAreReadOrRefused,
    defect: "lets the parser's own error out",
    sow: (protocol) => ({
      ...protocol,
      decode(body, ...rest) {
        new TextDecoder('utf-8', { fatal: true }).decode(body);
        return protocol.decode(body, ...rest);
      },
    }),
  },
  { law: bytesAreReadSoon, defect: 'takes its time over a large body', sow: slow },
];

const sound = createProtocols(services);
const trials = operationsOf(services);

const findIn = (protocols: Protocols, { law, runs = 1_000 }: Seeded): string | undefined => {
  for (const { service, operation } of trials) {
    const found = law({ protocols, service, operation, runs, unshrunk: true });
    if (found !== undefined) return found;
  }
  return undefined;
};

describe.each(namesOf(sound))('a defect in %s', (name: NamedProtocol) => {
  test.each(seeded)('$defect: found by $law.name', (each) => {
    const mutant = Object.freeze({ ...sound, [name]: Object.freeze(each.sow(sound[name])) });
    expect(findIn(mutant, each)).toContain(name);
  });
});
