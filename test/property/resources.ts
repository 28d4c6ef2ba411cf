/** Properties of operations with an HTTP binding: round trips, arbitrary bytes, stored outcomes, and documents. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { type BoundOperation, splitByLocation } from '../../src/core/contract/operation.ts';
import { Problem } from '../../src/core/contract/problem.ts';
import { type Service, serviceAddress } from '../../src/core/contract/service.ts';
import type { Decoded, Protocol } from '../../src/core/formats/protocol.ts';
import { createProtocols } from '../../src/core/formats/wire-formats.ts';
import { redactOutput } from '../../src/core/idempotency/stored-outcome.ts';
import { createDocuments } from '../../src/documents/documents.ts';
import { services } from '../../src/payments/index.ts';
import { type Bytes, decode } from '../support/exchange.ts';
import { arbitrary } from '../support/generate.ts';
import { worstJson } from '../support/largest-messages.ts';
import { seed } from '../support/seed.ts';
import { bodyMsMax, shortestMs } from './cpu-time.ts';
import { failure, search } from './property.ts';

/** The code under test, and the number of values. */
export interface ResourceSubject {
  readonly protocol: Protocol;
  readonly service: Service;
  readonly operation: BoundOperation;
  readonly runs: number;
  /** Returns the first counterexample instead of the smallest one. */
  readonly unshrunk?: true;
}

/** Returns the counterexample and its fault as text; undefined where the property holds. */
export type ResourceProperty = (subject: ResourceSubject) => string | undefined;

/** Compiled once: compiling takes longer than to decode a request. */
const protocols = createProtocols(services);

function decodeWith(protocol: Protocol, sent: Bytes): Decoded {
  return decode({ ...protocols, rest: protocol }, 'rest', sent);
}

const withoutHeaders = (operation: BoundOperation, output: unknown): unknown => {
  const { fields } = splitByLocation(operation.output).body;
  return Object.fromEntries(Object.entries(output as object).filter(([name]) => name in fields));
};

/** Path, query, headers and body decode to the input, and an answer to its output. */
export const messagesRoundTrip: ResourceProperty = (subject) => {
  const { protocol, service, operation } = subject;
  return (
    search(arbitrary(operation.input), subject, (input) => {
      const { input: read, issues } = decodeWith(protocol, protocol.encodeRequest(service, operation, input));
      const decoded = JSON.stringify([read, issues]);
      return decoded === JSON.stringify([input, []]) ? undefined : `${JSON.stringify(input)} is decoded as ${decoded}`;
    }) ??
    search(arbitrary(operation.output), subject, (output) => {
      const { headers, body } = protocol.encode(operation, output);
      const decoded = JSON.stringify(protocol.decodeResponse(operation, body));
      const tag = (output as { readonly eTag?: string }).eTag;
      if (headers.ETag !== tag) return `the ETag ${tag} is sent as ${headers.ETag}`;
      const expected = JSON.stringify({ value: withoutHeaders(operation, output), issues: [] });
      return decoded === expected ? undefined : `${expected} is decoded as ${decoded}`;
    })
  );
};

const place = fc.double({ min: 0, max: 1, noNaN: true });
const tokens = ['{', '}', '[', ']', '"', ':', ',', '\\', '\\u0000', '\\ud800', 'null', '1e999', '-0', '__proto__'];
const more = ['%', '%zz', '%00', '&', '=', '?', '/', '..', '\u0000', '\ufeff', '😀', '+', ';', '*'];

type Edit = (text: string) => string;
const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.tuple(place, fc.constantFrom(...tokens, ...more)).map(
    ([share, token]): Edit =>
      (text) => {
        const at = Math.floor(share * text.length);
        return text.slice(0, at) + token + text.slice(at);
      },
  ),
  place.map(
    (share): Edit =>
      (text) =>
        text.slice(0, Math.floor(share * text.length)),
  ),
  fc.tuple(place, place).map(
    ([one, other]): Edit =>
      (text) => {
        const [from, to] = [one, other].map((share) => Math.floor(share * text.length)).sort((a, b) => a - b);
        return text.slice(0, from) + text.slice(to);
      },
  ),
);

const findFault = ({ protocol, service, operation }: ResourceSubject, sent: Bytes): string | undefined => {
  try {
    const { operation: found, input, issues } = decodeWith(protocol, sent);
    if (issues.length > 0) {
      protocol.encodeError(Problem.of(issues), { requestReference: 'X', operation: found });
      return undefined;
    }
    const again = decodeWith(protocol, protocol.encodeRequest(service, found, input));
    const decoded = JSON.stringify([found.name, input]);
    return JSON.stringify([again.operation.name, again.input]) === decoded
      ? undefined
      : `${decoded} does not survive a round trip`;
  } catch (thrown) {
    if (!(thrown instanceof Problem) || thrown.problem === 'internal') return `throws ${String(thrown)}`;
    const { status, body } = protocol.encodeError(thrown, { requestReference: 'X', operation });
    JSON.parse(body);
    return status < 400 || status > 500 || body.length > 4_096 ? `answers ${status} with ${body.length}` : undefined;
  }
};

/** Any bytes of path, query, header and body are decoded, or refused with a Problem. */
export const anyBytesAreDecodedOrRefused: ResourceProperty = (subject) => {
  const { protocol, service, operation } = subject;
  const base = serviceAddress(service);
  const edits = fc.array(fc.tuple(fc.constantFrom('path', 'body', 'header'), edit), { minLength: 1, maxLength: 4 });
  return search(fc.tuple(arbitrary(operation.input), edits), subject, ([input, all]) => {
    const call = protocol.encodeRequest(service, operation, input);
    let { path, body, headers = {} } = call;
    for (const [where, change] of all) {
      // The base path stays: other paths belong to other services and versions.
      if (where === 'path') path = base + change(path.slice(base.length));
      else if (where === 'body') body = change(body);
      else headers = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, change(value)]));
    }
    const fault = findFault(subject, { ...call, path, body, headers });
    return fault && `${fault}\n${JSON.stringify({ path, body, headers })}`;
  });
};

/** No body of 64 KiB blocks the process for other callers. */
export const largeBodiesAreDecodedInTime: ResourceProperty = (subject) => {
  const { protocol, service, operation } = subject;
  if (operation.http.method === 'GET') return undefined;
  const call = protocol.encodeRequest(
    service,
    operation,
    fc.sample(arbitrary(operation.input), { numRuns: 1, seed })[0],
  );
  for (const [what, body] of Object.entries(worstJson)) {
    let fault: string | undefined;
    const ms = shortestMs(() => {
      fault = findFault(subject, { ...call, body });
    });
    if (fault !== undefined) return `${what}: ${fault}`;
    if (ms > bodyMsMax) return `${what} takes ${Math.round(ms)} ms`;
  }
  return undefined;
};

/** One-time values (security code, full card number) are not in the stored outcome; everything else is. */
export const oneTimeValuesAreNotStored: ResourceProperty = (subject) => {
  const { operation } = subject;
  const hidden = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(hidden);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).filter(([name]) => name !== 'cvc');
    const isCard = 'lastFour' in value;
    return Object.fromEntries(
      entries.map(([name, each]) => [
        name,
        isCard && name === 'number' ? `************${String(each).slice(12)}` : hidden(each),
      ]),
    );
  };
  return search(arbitrary(operation.output), subject, (output) => {
    const stored = JSON.stringify(redactOutput(operation, output));
    const expected = JSON.stringify(hidden(output));
    return stored === expected ? undefined : `${JSON.stringify(output)} is stored as ${stored}`;
  });
};

interface OpenApiCall {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: object }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> };
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { readonly schema: object }>> }>
  >;
}

/** Requests and answers are valid against the OpenAPI document. */
export const messagesMatchDocuments: ResourceProperty = ({ protocol, service, operation, runs }) => {
  const documents = createDocuments([service]);
  const openApi = JSON.parse(documents.find(`${service.address}/openapi.json`, '', 'https://pay.example')!.body);
  const documented = openApi.paths[operation.http.path][operation.http.method.toLowerCase()] as OpenApiCall;
  const ajv = new Ajv2020({ allErrors: true, strictTypes: false, coerceTypes: false });
  addFormats.default(ajv);
  const compile = (schema: object): ValidateFunction => {
    const whole = JSON.stringify({ $defs: openApi.components.schemas, ...schema });
    return ajv.compile(JSON.parse(whole.replaceAll('#/components/schemas/', '#/$defs/')));
  };
  const json = 'application/json';
  const answer = compile(documented.responses['200']!.content[json]!.schema);
  for (const output of fc.sample(arbitrary(operation.output), { numRuns: runs, seed })) {
    const { body } = protocol.encode(operation, output);
    if (!answer(JSON.parse(body))) return failure(`${ajv.errorsText(answer.errors)}\n${body}`);
  }
  const request = documented.requestBody && compile(documented.requestBody.content[json]!.schema);
  const parameters = (documented.parameters ?? []).filter(({ name }) => name !== 'Idempotency-Key');
  const checks = parameters.map(({ name, schema }) => ({ name, check: compile(schema) }));
  for (const input of fc.sample(arbitrary(operation.input), { numRuns: runs, seed })) {
    const { body } = protocol.encodeRequest(service, operation, input);
    if (request !== undefined && !request(JSON.parse(body)))
      return failure(`${ajv.errorsText(request.errors)}\n${body}`);
    for (const { name, check } of checks) {
      const value = (input as Readonly<Record<string, unknown>>)[name === 'If-Match' ? 'ifMatch' : name];
      if (value !== undefined && !check(value)) return failure(`${name} ${ajv.errorsText(check.errors)}`);
    }
  }
  return undefined;
};
