/** Detects, routes and decodes a call as the gateway does, without credentials. */
import { Buffer } from 'node:buffer';
import { dotted } from '../../src/core/contract/path.ts';
import { Problem } from '../../src/core/contract/problem.ts';
import type { Call, Decoded } from '../../src/core/formats/protocol.ts';
import type { NamedProtocol, ProtocolName, Protocols } from '../../src/core/formats/wire-formats.ts';
import { detect } from '../../src/core/gateway/detect.ts';
import { compileRoutes, type Routes } from '../../src/core/gateway/route.ts';
import { services } from '../../src/payments/index.ts';

/** The canonical input as text with sorted keys, or the whole refusal. */
export type Outcome =
  | { readonly operation: string; readonly input: string }
  | { readonly problem: string; readonly message: string; readonly issues: readonly (readonly string[])[] };

export interface Bytes extends Omit<Call, 'body'> {
  readonly body: Buffer | string;
}

const builtInRoutes = compileRoutes(services);

/** Throws a Problem, or the error of a defect. */
export const decode = (
  protocols: Protocols,
  name: ProtocolName,
  { method = 'POST', path: target, headers = {}, contentType, body }: Bytes,
  routes: Routes = builtInRoutes,
): Decoded => {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const [path = '', query = ''] = target.split(/\?(.*)/s);
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const wire = {
    method,
    path,
    query,
    headers: { 'content-type': contentType, ...lower },
    inspect: () => {},
    body: async () => bytes,
  };
  const route = routes.find(path);
  const { protocol, media, isReadable } = detect(wire, route, protocols);
  if (protocol.name !== name || !isReadable) throw new TypeError(`${name} is taken for ${protocol.name}`);
  return protocol.decode(bytes, media, route.target(method), wire);
};

export const refusal = (problem: Problem): Outcome => ({
  problem: problem.problem,
  message: problem.message,
  issues: problem.issues.map(({ path, kind, message }) => [dotted(path), kind.name, message]),
});

/** The decoded request, or the refusal that the gateway would make of it. */
export const outcomeOf = (protocols: Protocols, name: NamedProtocol, call: Bytes, routes?: Routes): Outcome =>
  outcomeWithInput(protocols, name, call, routes).outcome;

/** The same with the input itself, which a refusal does not have. */
export const outcomeWithInput = (
  protocols: Protocols,
  name: NamedProtocol,
  call: Bytes,
  routes?: Routes,
): { readonly outcome: Outcome; readonly decoded?: unknown; readonly problem?: Problem } => {
  try {
    const { operation, input, issues } = decode(protocols, name, call, routes);
    if (issues.length > 0) throw Problem.of(issues);
    return { outcome: { operation: operation.name, input: JSON.stringify(input) }, decoded: input };
  } catch (thrown) {
    if (thrown instanceof Problem) return { outcome: refusal(thrown), problem: thrown };
    throw thrown;
  }
};
