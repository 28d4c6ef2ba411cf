/**
 * One key, one effect, for every service: each ordered pair of formats, with the request of a case and of another case. `NIGHTLY=1`: also each
 * pair with a new process in between, and with the other case.
 */
import { isDeepStrictEqual } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { namedOperations } from '../../src/core/contract/service.ts';
import { type NamedProtocol, namedProtocols } from '../../src/core/formats/wire-formats.ts';
import type { Answer } from '../../src/core/gateway/answer.ts';
import { compileRoutes } from '../../src/core/gateway/route.ts';
import { formats } from '../formats/index.ts';
import { decode } from '../support/exchange.ts';
import type { TestGateway } from '../support/gateway.ts';
import { isNightly } from '../support/nightly.ts';
import type { ServiceCase } from './case.ts';
import { operationOf } from './subject.ts';
import { conformanceSubjects } from './subjects.ts';

const key = { 'idempotency-key': 'a-key' };
const pairs = namedProtocols.flatMap((first) => namedProtocols.map((second) => [first, second] as const));
/** Each format is first once and second once. The property tests show that all formats state the same request. */
const somePairs = namedProtocols.map(
  (first, at) => [first, namedProtocols[(at + 1) % namedProtocols.length]!] as const,
);
const fewPairs = isNightly ? pairs : somePairs;

describe.each(conformanceSubjects)('$service.name', (subject) => {
  const { service, protocols, cases } = subject;
  const routes = compileRoutes([service]);

  let gateway: TestGateway;
  beforeEach(async () => {
    gateway = await subject.open();
  });
  afterEach(() => gateway.close());

  const writing = namedOperations(service).filter(({ effect }) => effect === 'writes');

  /** The input of a case. Its texts in other formats may state more. */
  const inputOf = (each: ServiceCase): unknown => {
    const { path, contentType } = formats.json;
    const call = { path: path(service, operationOf(subject, each)), contentType, body: each.wire.json.sends };
    return decode(protocols, 'json', call, routes).input;
  };

  const send = (name: NamedProtocol, each: ServiceCase): Promise<Answer> => {
    const { path, contentType, body } = protocols[name].encodeRequest(
      service,
      operationOf(subject, each),
      inputOf(each),
    );
    return gateway.ask({ path, headers: { 'content-type': contentType, ...subject.headersOf(each), ...key }, body });
  };

  const inputs = (a: ServiceCase, b: ServiceCase) => [inputOf(a), inputOf(b)] as const;

  const isAnswered = ({ outcome }: ServiceCase): boolean => 'gives' in outcome;

  /** Accepted requests that change the stored details, each with an accepted request of the same operation that differs. */
  const retried = cases
    .filter(
      (each) => isAnswered(each) && each.leaves !== undefined && writing.some(({ name }) => name === each.operation),
    )
    .map((each) => {
      const other = cases.find(
        (another) =>
          another.operation === each.operation && isAnswered(another) && !isDeepStrictEqual(...inputs(another, each)),
      );
      if (other === undefined) throw new Error(`${each.operation} needs two cases with an answer, whose inputs differ`);
      return { each, other, leaves: each.leaves };
    });

  test('every writing operation has a case that is retried', () => {
    expect([...new Set(retried.map(({ each }) => each.operation))].sort()).toEqual(
      writing.map(({ name }) => name).sort(),
    );
  });

  const between = {
    'in one process': () => {},
    'with a new process in between': () => gateway.restart(),
  } as const;
  const ways = retried.flatMap((parts) =>
    (Object.keys(between) as (keyof typeof between)[]).map((way) => ({
      ...{ ...parts, way },
      title: `${parts.each.operation}, ${parts.each.title}, ${way}`,
    })),
  );
  const decoded = (name: NamedProtocol, each: ServiceCase, { message }: Answer): unknown =>
    protocols[name].decodeResponse(operationOf(subject, each), message.body).value;

  describe.each(ways)('$title', ({ each, other, leaves, way }) => {
    test.each(way === 'in one process' ? pairs : fewPairs)(
      '%s, then %s: one effect and one answer',
      async (first, second) => {
        const done = await send(first, each);
        expect(done.entry.outcome).toBe('ok');
        expect(done.message.headers['Idempotency-Key']).toBe(key['idempotency-key']);
        expect(done.message.headers).not.toHaveProperty('Idempotent-Replayed');
        between[way]();
        const again = await send(second, each);
        expect(decoded(second, each, again)).toEqual(decoded(first, each, done));
        expect(again.message.headers[gateway.referenceHeader]).toBe(done.message.headers[gateway.referenceHeader]);
        expect(again.message.headers['Idempotent-Replayed']).toBe('true');
        if (first === second) expect({ ...again.message, headers: {} }).toEqual({ ...done.message, headers: {} });
        expect(await subject.stored(gateway)).toEqual(leaves);
      },
    );

    test.each(fewPairs)('%s, then %s with another body: refused, and nothing done', async (first, second) => {
      const done = await send(first, each);
      between[way]();
      const refused = await send(second, other);
      expect(refused.entry.outcome).toBe('keyReused');
      expect(refused.message.headers['transient-error']).toBe('false');
      expect(refused.message.status).toBe(formats[second].status422);
      expect(refused.message.body).toContain('704');
      expect(await subject.stored(gateway)).toEqual(leaves);
      const again = await send(first, each);
      expect({ ...again.message, headers: {} }).toEqual({ ...done.message, headers: {} });
    });
  });
});
