/** Arbitrary bytes: a codec decodes them or refuses them with a Problem, in time; what it decodes it can encode again. */
import { Buffer } from 'node:buffer';
import fc, { type Arbitrary } from 'fast-check';
import { Problem } from '../../src/core/contract/problem.ts';
import type { NamedProtocol } from '../../src/core/formats/wire-formats.ts';
import { formats } from '../formats/index.ts';
import { type Bytes, decode } from '../support/exchange.ts';
import { arbitrary } from '../support/generate.ts';
import { bodyMsMax, shortestMs } from './cpu-time.ts';
import { namesOf, type Property, type Subject, search } from './property.ts';

export type Edit = (body: Buffer) => Buffer;

const tokens = [
  '<![CDATA[',
  ']]>',
  '<!--',
  '<?x?>',
  '<!DOCTYPE a>',
  '&#0;',
  '&x;',
  '&',
  '%',
  '%00',
  '%zz',
  '%ff',
  '+',
  '=',
  '.',
];
const moreTokens = [
  '..',
  '[',
  ']',
  '{',
  '}',
  '"',
  '\\',
  '\\u0000',
  '\\ud800',
  ',',
  'null',
  '1e999',
  '-0',
  '__proto__',
  '\u0000',
  '\ufeff',
  '😀',
];

const place = fc.double({ min: 0, max: 1, noNaN: true });
const at = (body: Buffer, share: number): number => Math.floor(share * body.length);

const insert =
  (share: number, bytes: Uint8Array): Edit =>
  (body) =>
    Buffer.concat([body.subarray(0, at(body, share)), bytes, body.subarray(at(body, share))]);

export const edit: Arbitrary<Edit> = fc.oneof(
  fc.tuple(place, fc.nat(7)).map(
    ([share, bit]): Edit =>
      (body) => {
        const flipped = Buffer.from(body);
        const index = Math.min(at(body, share), body.length - 1);
        if (index >= 0) flipped[index] = flipped[index]! ^ (1 << bit);
        return flipped;
      },
  ),
  place.map(
    (share): Edit =>
      (body) =>
        body.subarray(0, at(body, share)),
  ),
  fc.tuple(place, fc.uint8Array({ maxLength: 8 })).map(([share, bytes]) => insert(share, bytes)),
  fc.tuple(place, fc.constantFrom(...tokens, ...moreTokens)).map(([share, token]) => insert(share, Buffer.from(token))),
  fc.tuple(place, place, fc.integer({ min: 2, max: 40 })).map(
    ([from, length, times]): Edit =>
      (body) => {
        const slice = body.subarray(at(body, from), at(body, from) + at(body, length) / 4);
        return Buffer.concat([
          body.subarray(0, at(body, from)),
          ...Array<Buffer>(times).fill(slice),
          body.subarray(at(body, from)),
        ]);
      },
  ),
  fc.tuple(place, place).map(
    ([from, to]): Edit =>
      (body) =>
        Buffer.concat([body.subarray(at(body, from)), body.subarray(0, at(body, to))]),
  ),
);

export const noise = fc.oneof(
  fc.uint8Array({ maxLength: 64 }),
  fc.string({ unit: 'binary', maxLength: 64 }).map((text) => Buffer.from(text)),
);

/** Decodes the bytes, and encodes and decodes the input again; returns the fault, if any. */
const findFault = ({ protocols, routes, service, operation }: Subject, name: NamedProtocol, call: Bytes) => {
  const protocol = protocols[name];
  try {
    const { operation: found, input, issues } = decode(protocols, name, call, routes);
    if (issues.length === 0) {
      const decoded = JSON.stringify(input);
      const again = JSON.stringify(
        decode(protocols, name, protocol.encodeRequest(service, found, input), routes).input,
      );
      return decoded === again ? undefined : `${name} decodes ${decoded} and then ${again}`;
    }
    protocol.encodeError(Problem.of(issues), { requestReference: 'X', operation: found });
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof Problem) || thrown.problem === 'internal') return `${name} throws ${String(thrown)}`;
    const { status, body } = protocol.encodeError(thrown, { requestReference: 'X', operation });
    return status < 400 || status > 500 || body.length > 4_096
      ? `${name} answers ${status} with ${body.length}`
      : undefined;
  }
};

export const anyBytesAreDecodedOrRefused: Property = (subject) => {
  const { protocols, service, operation } = subject;
  const edits = fc.array(edit, { minLength: 1, maxLength: 4 });
  return search(fc.tuple(arbitrary(operation.input), edits, noise), subject, ([input, edits, noise]) => {
    for (const name of namesOf(subject)) {
      const call = protocols[name].encodeRequest(service, operation, input);
      const edited = edits.reduce<Buffer>((body, each) => each(body), Buffer.from(call.body));
      for (const body of [edited, Buffer.from(noise)]) {
        const fault = findFault(subject, name, { ...call, body });
        if (fault !== undefined) return `${fault}\n${JSON.stringify(body.toString('latin1'))}`;
      }
    }
    return undefined;
  });
};

/** No body of 64 KiB blocks the process for other callers. */
export const largeBodiesAreDecodedInTime: Property = (subject) => {
  const { protocols, service, operation } = subject;
  for (const name of namesOf(subject))
    for (const [what, body] of Object.entries(formats[name].largestBodies(service, operation))) {
      const { path, contentType } = protocols[name].encodeRequest(service, operation, {});
      let fault: string | undefined;
      const ms = shortestMs(() => {
        fault = findFault(subject, name, { path, contentType, body });
      });
      if (fault !== undefined) return `${what}: ${fault}`;
      if (ms > bodyMsMax) return `${what}: ${name} takes ${Math.round(ms)} ms`;
    }
  return undefined;
};
