/** Runs the service of the console as a gateway of its own, and records views and actions in the audit log. */

import { setTimeout } from 'node:timers/promises';
import { type AuditEvent, credentialActor } from '../audit/audit-event.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { problems } from '../contract/problem.ts';
import { maskSensitive } from '../contract/redaction.ts';
import { createProtocols } from '../formats/index.ts';
import type { WireRequest } from '../formats/wire.ts';
import type { Answer } from '../gateway/answer.ts';
import type { Authenticator } from '../gateway/authenticate.ts';
import { type Gateway, handleRequest, neutralParts } from '../gateway/handle-request.ts';
import type { HandlerContext } from '../gateway/handler.ts';
import { compose } from '../gateway/implement.ts';
import { compileRoutes } from '../gateway/route.ts';
import { createIdempotentExecutor } from '../idempotency/execute-idempotently.ts';
import type { RequestHasher } from '../idempotency/ports.ts';
import { BoundedMap } from '../lib/bounded-map.ts';
import type { Store } from '../store/store.ts';
import { auditedFields, consoleV1, type ViewName, viewOperations } from './contract.ts';
import { implementConsole } from './implementation.ts';
import type { ConsolePorts } from './ports.ts';
import { isOfSession, requireSession } from './session/authenticate.ts';
import { requireOwnPage } from './session/page-check.ts';
import type { Sessions } from './session/sessions.ts';

export interface ConsoleApiParts {
  readonly store: Store;
  readonly context: HandlerContext;
  readonly hasher: RequestHasher;
  readonly audit: AuditTrail;
  readonly sessions: Sessions;
  /** Verifies credentials, and locks those who guess. */
  readonly credentials: Authenticator;
  readonly ports: ConsolePorts;
  /** Reports an unforeseen error. */
  readonly failed: (thrown: unknown) => void;
}

/** Answers a request to the service. Never rejects. */
export type AnswerApi = (request: WireRequest) => Promise<Answer>;

export function createConsoleApi(parts: ConsoleApiParts): AnswerApi {
  const { store, context, hasher, sessions, credentials } = parts;
  const composition = compose([implementConsole(parts.ports)]);
  const gateway: Gateway = {
    ...neutralParts,
    protocols: createProtocols([consoleV1]),
    routes: compileRoutes([consoleV1]),
    current: composition.current,
    authenticator: credentials,
    ids: context.ids,
    requestReferenceHeader: composition.conventions.requestReference,
    executeIdempotently: createIdempotentExecutor({ store, context, hasher, wait: setTimeout }),
  };
  const record = createRecorder(parts);
  return async (request) => {
    const answer = await handleRequest(request, {
      ...gateway,
      authenticator: authenticatorOf(request, gateway, sessions),
    });
    record(answer);
    const { problem } = answer.entry;
    if (problem?.kind === problems.internal) parts.failed(problem.cause ?? problem);
    return answer;
  };
}

/** What is refused here is refused as a problem of the service. */
function authenticatorOf(request: WireRequest, { authenticator }: Gateway, sessions: Sessions): Authenticator {
  const authenticate: Authenticator['authenticate'] = async (origin) => {
    requireOwnPage(request);
    if (!isOfSession(request)) return authenticator.authenticate(origin);
    return (await requireSession(sessions, request)).caller;
  };
  return { authenticate, requireCredential: authenticate };
}

const viewOf: ReadonlyMap<string, ViewName> = new Map(
  (Object.keys(viewOperations) as ViewName[]).flatMap((view) =>
    viewOperations[view].map(({ name }): [string, ViewName] => [name, view]),
  ),
);

/** A page that refreshes itself is one view. */
const viewMs = 30 * 60_000;
const viewsMax = 10_000;

function createRecorder({ audit, context: { clock } }: ConsoleApiParts): (answer: Answer) => void {
  const seen = new BoundedMap<string, number>(viewsMax);
  const isNew = (key: string): boolean => {
    const now = clock.now();
    const before = seen.get(key);
    if (before !== undefined && Math.abs(now - before) < viewMs) return false;
    seen.set(key, now);
    return true;
  };
  return ({ entry: { operation, credential, tenant, outcome }, decoded }) => {
    const view = operation === undefined ? undefined : viewOf.get(operation);
    if (operation === undefined || credential === undefined || view === undefined) return;
    const actor = credentialActor(credential);
    if (decoded?.operation.effect === 'writes') {
      const detail = { tenant, outcome, ...detailOf(decoded.operation.name, decoded) };
      audit.record({ kind: 'consoleAction', actor, subject: operation, detail } satisfies AuditEvent);
    } else if (outcome === 'ok' && isNew(`${credential} ${view}`)) {
      audit.record({ kind: 'consoleView', actor, subject: view, detail: { tenant } });
    }
  };
}

/** The fields of an action that say what it was done to. */
function detailOf(operation: string, { operation: { input: schema }, input }: NonNullable<Answer['decoded']>) {
  const masked = maskSensitive(schema, input) as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    (auditedFields[operation] ?? []).flatMap((name) => {
      const value = masked[name];
      return value === undefined ? [] : [[name, String(value).slice(0, detailMax)]];
    }),
  );
}

const detailMax = 100;
