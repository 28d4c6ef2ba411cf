/** Laws of operations on resources: what is asked is heard, bytes are read or refused, and documents tell the truth. */
import { Buffer } from 'node:buffer';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { type BoundOperation, splitByLocation } from '../../src/contract/operation.ts';
import { Problem } from '../../src/contract/problem.ts';
import type { Service } from '../../src/contract/service.ts';
import { deriveBoundOpenApi } from '../../src/documents/index.ts';
import { createProtocols, type Protocols } from '../../src/formats/index.ts';
import type { Call, Decoded, Protocol } from '../../src/formats/protocol.ts';
import { detect } from '../../src/gateway/detect.ts';
import { compileRoutes, type Routes } from '../../src/gateway/route.ts';
import { canonicalRequestText } from '../../src/idempotency/canonical-request.ts';
import { redactOutput } from '../../src/idempotency/redacted-output.ts';
import { arbitrary } from '../support/generate.ts';
import { worstJson } from '../support/largest-messages.ts';
import { bodyMsMax, shortestMs } from './cpu-time.ts';
import { seed } from './property.ts';

/** Whose law it is, over how many values. */
export interface ResourceTrial {
  readonly protocol: Protocol;
  readonly service: Service;
  readonly operation: BoundOperation;
  readonly runs: number;
}

/** What broke the law, in words; undefined while it holds. */
export type ResourceLaw = (trial: ResourceTrial) => string | undefined;

interface Sent extends Omit<Call, 'body'> {
  readonly body: Buffer | string;
}

/** Compiled once for a service: compiling takes longer than to decode a request. */
const compiled = new Map<Service, { readonly routes: Routes; readonly protocols: Protocols }>();
const compileService = (service: Service) => {
  const known = compiled.get(service) ?? { routes: compileRoutes([service]), protocols: createProtocols([service]) };
  compiled.set(service, known);
  return known;
};

/** Detected, routed and decoded as the gateway does it, without a caller. Throws a Problem, or whatever a defect throws. */
export const decodeSent = (protocol: Protocol, service: Service, sent: Sent): Decoded => {
  const { method = 'POST', path: target, headers = {}, contentType, body } = sent;
  const [path = '', query = ''] = target.split(/\?(.*)/s);
  const bytes = Buffer.from(body as string);
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const wire = {
    ...{ method, path, query, headers: { 'content-type': contentType, ...lower } },
    inspect: () => {},
    body: async () => bytes,
  };
  const { routes, protocols } = compileService(service);
  const route = routes.find(path);
  const { media, understood } = detect(wire, route, { ...protocols, rest: protocol });
  if (!understood) throw new Problem('unsupportedMedia');
  return protocol.decode(bytes, media, route.target(method), wire);
};

const search = <T>(values: fc.Arbitrary<T>, { runs }: ResourceTrial, judge: (value: T) => string | undefined) => {
  let complaint: string | undefined;
  const details = fc.check(
    fc.property(values, (value) => {
      const found = judge(value);
      if (found !== undefined) complaint = found;
      return found === undefined;
    }),
    { seed, numRuns: runs, interruptAfterTimeLimit: 30_000, markInterruptAsFailure: true },
  );
  return details.failed ? `seed ${seed}: ${complaint ?? details.errorInstance}` : undefined;
};

const withoutHeaders = (operation: BoundOperation, output: unknown): unknown => {
  const { fields } = splitByLocation(operation.output).body;
  return Object.fromEntries(Object.entries(output as object).filter(([name]) => name in fields));
};

/** Path, query, headers and body together say the input again, and an answer its output. */
export const askedIsHeard: ResourceLaw = (trial) => {
  const { protocol, service, operation } = trial;
  return (
    search(arbitrary(operation.input), trial, (input) => {
      const { input: read, issues } = decodeSent(protocol, service, protocol.encodeRequest(service, operation, input));
      const said = JSON.stringify([read, issues]);
      return said === JSON.stringify([input, []]) ? undefined : `${JSON.stringify(input)} is read as ${said}`;
    }) ??
    search(arbitrary(operation.output), trial, (output) => {
      const { headers, body } = protocol.encode(operation, output);
      const heard = JSON.stringify(protocol.decodeResponse(operation, body));
      const tag = (output as { readonly eTag?: string }).eTag;
      if (headers.ETag !== tag) return `the tag ${tag} is sent as ${headers.ETag}`;
      const expected = JSON.stringify({ value: withoutHeaders(operation, output), issues: [] });
      return heard === expected ? undefined : `${expected} is heard as ${heard}`;
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

const complaintOf = ({ protocol, service, operation }: ResourceTrial, sent: Sent): string | undefined => {
  try {
    const { operation: found, input, issues } = decodeSent(protocol, service, sent);
    if (issues.length > 0) {
      protocol.encodeError(Problem.of(issues), { pspReference: 'X', operation: found });
      return undefined;
    }
    const again = decodeSent(protocol, service, protocol.encodeRequest(service, found, input));
    const said = JSON.stringify([found.name, input]);
    return JSON.stringify([again.operation.name, again.input]) === said ? undefined : `${said} is not said again`;
  } catch (thrown) {
    if (!(thrown instanceof Problem) || thrown.problem === 'internal') return `throws ${String(thrown)}`;
    const { status, body } = protocol.encodeError(thrown, { pspReference: 'X', operation });
    JSON.parse(body);
    return status < 400 || status > 500 || body.length > 4_096 ? `answers ${status} with ${body.length}` : undefined;
  }
};

/** Whatever the bytes of path, query, header and body, they are read or refused with a Problem. */
export const bytesAreReadOrRefused: ResourceLaw = (trial) => {
  const { protocol, service, operation } = trial;
  const edits = fc.array(fc.tuple(fc.constantFrom('path', 'body', 'header'), edit), { minLength: 1, maxLength: 4 });
  return search(fc.tuple(arbitrary(operation.input), edits), trial, ([input, all]) => {
    const call = protocol.encodeRequest(service, operation, input);
    let { path, body, headers = {} } = call;
    for (const [where, change] of all) {
      // The service's own address stays: what is elsewhere is nobody's here.
      if (where === 'path') path = `/bcl/v2${change(path.slice('/bcl/v2'.length))}`;
      else if (where === 'body') body = change(body);
      else headers = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, change(value)]));
    }
    const complaint = complaintOf(trial, { ...call, path, body, headers });
    return complaint && `${complaint}\n${JSON.stringify({ path, body, headers })}`;
  });
};

/** No body of 64 KiB keeps the process from its other callers. */
export const bytesAreReadSoon: ResourceLaw = (trial) => {
  const { protocol, service, operation } = trial;
  if (operation.http.method === 'GET') return undefined;
  const call = protocol.encodeRequest(
    service,
    operation,
    fc.sample(arbitrary(operation.input), { numRuns: 1, seed })[0],
  );
  for (const [what, body] of Object.entries(worstJson)) {
    let complaint: string | undefined;
    const ms = shortestMs(() => {
      complaint = complaintOf(trial, { ...call, body });
    });
    if (complaint !== undefined) return `${what}: ${complaint}`;
    if (ms > bodyMsMax) return `${what} takes ${Math.round(ms)} ms`;
  }
  return undefined;
};

/** Two requests are one command exactly where nothing differs but what is never kept. */
export const onlyTheSameIsOneCommand: ResourceLaw = (trial) => {
  const { service, operation } = trial;
  const essence = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(essence);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).filter(([name, each]) => name !== 'password' && each !== undefined);
    return entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, each]) => [name, essence(each)]);
  };
  const one = arbitrary(operation.input) as fc.Arbitrary<Readonly<Record<string, unknown>>>;
  const pairs = fc.tuple(one, one, fc.infiniteStream(fc.boolean())).map(([a, b, mix]) => {
    const mixed = Object.entries(a).map(([key, value]) => [key, mix.next().value && key in b ? b[key] : value]);
    return [a, Object.fromEntries(mixed)] as const;
  });
  return search(pairs, trial, ([a, b]) => {
    const same = JSON.stringify(essence(a)) === JSON.stringify(essence(b));
    return (canonicalRequestText({ service, operation, input: a }) ===
      canonicalRequestText({ service, operation, input: b })) ===
      same
      ? undefined
      : JSON.stringify([a, b]);
  });
};

/** What is shown once (a security code, a whole card number) is not in what is kept for a retry; all else is. */
export const nothingShownOnceIsKept: ResourceLaw = (trial) => {
  const { operation } = trial;
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
  return search(arbitrary(operation.output), trial, (output) => {
    const kept = JSON.stringify(redactOutput(operation, output));
    const expected = JSON.stringify(hidden(output));
    return kept === expected ? undefined : `of ${JSON.stringify(output)} is kept ${kept}`;
  });
};

interface OpenApiCall {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: object }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> };
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { readonly schema: object }>> }>
  >;
}

/** What is sent and answered is what the OpenAPI document says. */
export const documentsTellTheTruth: ResourceLaw = ({ protocol, service, operation, runs }) => {
  const openApi = JSON.parse(JSON.stringify(deriveBoundOpenApi(service, 'https://pay.example')));
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
    if (!answer(JSON.parse(body))) return `seed ${seed}: ${ajv.errorsText(answer.errors)}\n${body}`;
  }
  const request = documented.requestBody && compile(documented.requestBody.content[json]!.schema);
  const parameters = (documented.parameters ?? []).filter(({ name }) => name !== 'Idempotency-Key');
  const checks = parameters.map(({ name, schema }) => ({ name, check: compile(schema) }));
  for (const input of fc.sample(arbitrary(operation.input), { numRuns: runs, seed })) {
    const { body } = protocol.encodeRequest(service, operation, input);
    if (request !== undefined && !request(JSON.parse(body)))
      return `seed ${seed}: ${ajv.errorsText(request.errors)}\n${body}`;
    for (const { name, check } of checks) {
      const value = (input as Readonly<Record<string, unknown>>)[name === 'If-Match' ? 'ifMatch' : name];
      if (value !== undefined && !check(value)) return `seed ${seed}: ${name} ${ajv.errorsText(check.errors)}`;
    }
  }
  return undefined;
};
