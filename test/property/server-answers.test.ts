/** Properties of the reading of other servers' answers, for every operation, and the defects that they must find. */
import { describe, expect, test } from '@jest/globals';
import { boundOperations } from '../../src/contract/service.ts';
import { createProtocols } from '../../src/formats/index.ts';
import type { MessageCodec } from '../../src/formats/protocol.ts';
import { services } from '../../src/services/index.ts';
import { type Property, runs, type Subject } from './property.ts';
import { answersAreRead, anyBytesAreRead, refusalsAreRead, unknownMembersPass } from './server-answers.ts';
import { subjects } from './subjects.ts';

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
      decodeAnswer: (operation, reply) => ({ ...decodeAnswer(operation, reply), extras: undefined }),
    }),
  ],
  'rounds unknown numbers': [
    unknownMembersPass,
    ({ decodeAnswer }) => ({
      decodeAnswer: (operation, reply) => {
        const read = decodeAnswer(operation, reply);
        return 'extras' in read ? { ...read, extras: JSON.parse(JSON.stringify(read.extras)) } : read;
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
    expect(property({ ...base, protocols: broken, runs: 200, unshrunk: true })).toBeDefined();
  });
});
