/** The journey of a request, from top to bottom. */
import type { Caller } from '../contract/canonical.ts';
import { Problem } from '../contract/problem.ts';
import type { References } from '../domain/ports.ts';
import type { Protocols } from '../protocol/index.ts';
import type { Decoded, Target } from '../protocol/protocol.ts';
import type { WireRequest } from '../protocol/wire.ts';
import type { Answer } from './answer.ts';
import { assemble } from './assemble.ts';
import { authenticate } from './authenticate.ts';
import { detect } from './detect.ts';
import type { Perform } from './perform.ts';
import type { Credentials } from './ports.ts';
import type { Routes } from './route.ts';

export interface Gateway {
  readonly protocols: Protocols;
  readonly routes: Routes;
  readonly credentials: Credentials;
  readonly references: References;
  readonly perform: Perform;
}

/** Never rejects: every refusal, down to the unforeseen, is an answer in the caller's own format. */
export const serve = async (wire: WireRequest, gateway: Gateway): Promise<Answer> => {
  const pspReference = gateway.references.pspReference();
  const { protocol, media, understood } = detect(wire, gateway.protocols);
  let target: Target | undefined;
  let caller: Caller | undefined;
  let decoded: Decoded | undefined;
  const account = () => ({
    protocol: protocol.name,
    service: target?.service.name,
    version: target?.service.version,
    operation: (decoded ?? target)?.operation?.name,
    credential: caller?.credential,
    company: caller?.company,
    pspReference,
  });
  try {
    wire.inspect();
    target = gateway.routes.find(wire.method, wire.path);
    if (!understood) throw new Problem('unsupportedMedia');
    caller = await authenticate(wire.headers, gateway.credentials);
    decoded = protocol.decode(await wire.body(), media, target);
    const request = assemble(decoded, caller, pspReference);
    const output = await gateway.perform(request);
    const message = protocol.encode(decoded.operation, output);
    return { message: withReference(message, pspReference), account: { ...account(), outcome: 'ok' } };
  } catch (thrown) {
    const problem = Problem.from(thrown);
    const message = protocol.refuse(problem, { pspReference, operation: (decoded ?? target)?.operation });
    return {
      message: withReference(message, pspReference),
      account: { ...account(), outcome: problem.problem, problem },
    };
  }
};

/** Every answer names its reference, refusals included. */
const withReference = (message: Answer['message'], pspReference: string): Answer['message'] => ({
  ...message,
  headers: { ...message.headers, pspReference },
});
