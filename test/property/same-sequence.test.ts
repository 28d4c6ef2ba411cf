/**
 * One sequence of requests, sent in each format to a gateway of its own: every answer and every refusal is the same, and the same is stored.
 * The ids and the time of all gateways are equal, so nothing needs to be left out of the comparison.
 */
import { afterAll, expect, test } from '@jest/globals';
import fc, { type Arbitrary } from 'fast-check';
import type { Operation } from '../../src/core/contract/operation.ts';
import { namedOperations } from '../../src/core/contract/service.ts';
import { type NamedProtocol, namedProtocols } from '../../src/core/formats/wire-formats.ts';
import type { Answer } from '../../src/core/gateway/answer.ts';
import { compileRoutes } from '../../src/core/gateway/route.ts';
import type { ServiceCase } from '../conformance/case.ts';
import type { ConformanceSubject } from '../conformance/subject.ts';
import { conformanceSubjects } from '../conformance/subjects.ts';
import { formats, printLoose } from '../formats/index.ts';
import { decode, refusal } from '../support/exchange.ts';
import type { TestGateway } from '../support/gateway.ts';
import { arbitrary } from '../support/generate.ts';
import { type Loose, loosen } from '../support/lenient.ts';
import { repeatCommand, seed } from '../support/seed.ts';
import { breakages } from '../support/seeded-defects.ts';
import { namesOf } from './property.ts';

/** Each is sent in five formats. */
const requestsMax = Number(process.env.SEQUENCE_REQUESTS ?? 2_000);

interface Request {
  readonly each: ServiceCase;
  readonly operation: Operation;
  readonly tree: Loose;
  readonly key: number | undefined;
}

/** How one gateway answered: in canonical form, the same for every format that means the same. */
interface Shown {
  readonly outcome: string;
  readonly reference: string | undefined;
  readonly isReplayed: boolean;
  /** Of a refusal: all that is wrong, and what the message says of it. Of an answer: its output. */
  readonly content: unknown;
}

/** One in `share`; undefined otherwise. */
function seldom<T>(share: number, value: Arbitrary<T>): Arbitrary<T | undefined> {
  return fc.oneof({ weight: share - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Valid requests for the most part: those of the cases with members of one another, some with generated members, some broken. */
function requestsOf({ service, protocols, cases }: ConformanceSubject): Arbitrary<Request> {
  const routes = compileRoutes([service]);
  const operations = namedOperations(service).filter(({ name }) => cases.some(({ operation }) => operation === name));
  return fc.constantFrom(...operations).chain((operation) => {
    const own = cases.filter((each) => each.operation === operation.name && 'gives' in each.outcome);
    const inputs = own.map((each) => {
      const { path, contentType } = formats.json;
      const call = { path: path(service, operation), contentType, body: each.wire.json.sends };
      return { each, input: decode(protocols, 'json', call, routes).input };
    });
    return fc
      .record({
        first: fc.constantFrom(...inputs),
        second: fc.constantFrom(...inputs),
        generated: arbitrary(operation.input),
        // Of ten members, one is another case's; of a hundred, one is generated.
        picks: fc.infiniteStream(fc.nat(99)),
        breakage: seldom(5, fc.nat(10_000)),
        key: seldom(3, fc.nat(200)),
      })
      .map(({ first, second, generated, picks, breakage, key }) => {
        const input = mix(first.input, second.input, generated, picks);
        const tree = loosen(operation.input, input);
        const broken = breakage === undefined ? [] : breakages(operation.input, tree);
        if (broken.length > 0) broken[(breakage ?? 0) % broken.length]!.apply();
        return { each: first.each, operation, tree, key };
      });
  });
}

function mix(first: unknown, second: unknown, generated: unknown, picks: Iterator<number>): unknown {
  if (!isObject(first) || !isObject(second) || !isObject(generated)) return first;
  const names = Object.keys({ ...first, ...second, ...generated });
  const entries = names.map((name): readonly [string, unknown] => {
    const pick: number = picks.next().value;
    const from = pick === 0 ? generated : pick < 12 ? second : first;
    return [name, from[name]];
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function show(name: NamedProtocol, subject: ConformanceSubject, operation: Operation, answer: Answer): Shown {
  const { message, entry } = answer;
  const { problem, outcome } = entry;
  return {
    outcome,
    reference: entry.requestReference,
    isReplayed: entry.replayed ?? false,
    content:
      problem === undefined
        ? subject.protocols[name].decodeResponse(operation, message.body)
        : // Each format names the place of a syntax error in its own way.
          outcome !== 'undecodable' && { ...refusal(problem), shown: formats[name].readRefusal(message).text },
  };
}

const opened: TestGateway[] = [];
afterAll(() => Promise.all(opened.map((each) => each.close())));

/** Returns the first difference, and how many requests had an answer. */
async function compare(
  subject: ConformanceSubject,
  names: readonly NamedProtocol[],
  requests: readonly Request[],
  disturb: (name: NamedProtocol, tree: Loose) => Loose = (_, tree) => tree,
): Promise<{ readonly fault?: string; readonly answered: number }> {
  const gateways = await Promise.all(names.map(() => subject.open()));
  opened.push(...gateways);
  let answered = 0;
  for (const { each, operation, tree, key } of requests) {
    const shown: Shown[] = [];
    for (const [at, name] of names.entries()) {
      const { path, contentType, body } = printLoose(name, subject.service, operation, disturb(name, tree));
      const headers = {
        'content-type': contentType,
        ...subject.headersOf(each),
        ...(key !== undefined && { 'idempotency-key': `key-${key}` }),
      };
      shown.push(show(name, subject, operation, await gateways[at]!.ask({ path, headers, body })));
    }
    const [first, ...others] = shown.map((each) => JSON.stringify(each));
    const odd = others.findIndex((text) => text !== first);
    if (odd >= 0) {
      const bodies = [names[0]!, names[odd + 1]!].map(
        (name) => printLoose(name, subject.service, operation, tree).body,
      );
      return {
        fault: `${names[0]}: ${first}\n  ${bodies[0]}\n${names[odd + 1]}: ${others[odd]}\n  ${bodies[1]}`,
        answered,
      };
    }
    if (shown[0]!.outcome === 'ok') answered += 1;
  }
  const [stored, ...copies] = await Promise.all(gateways.map((gateway) => subject.stored(gateway)));
  for (const copy of copies) expect(copy).toEqual(stored);
  return { answered };
}

const sample = (subject: ConformanceSubject, count: number) => fc.sample(requestsOf(subject), { numRuns: count, seed });

const repeat = `repeat: ${repeatCommand('test/property/same-sequence')}`;

test.each(conformanceSubjects)('$service.name: one sequence in every format', async (subject) => {
  const names = namesOf(subject);
  const { fault, answered } = await compare(subject, names, sample(subject, requestsMax));
  expect(fault && `${fault}\n${repeat}`).toBeUndefined();
  expect(answered).toBeGreaterThan(requestsMax / 4);
});

test('a format that changes one text is found', async () => {
  const [subject] = conformanceSubjects;
  const drop = (name: NamedProtocol, tree: Loose): Loose =>
    name === 'form' && tree.kind === 'object' ? { ...tree, members: tree.members.slice(1) } : tree;
  const { fault } = await compare(
    subject!,
    namedProtocols.filter((name) => name !== 'adapter'),
    sample(subject!, 50),
    drop,
  );
  expect(fault).toMatch(/form: /);
});
