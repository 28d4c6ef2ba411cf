/** Runs the service of the console as a gateway of its own, and records views and actions in the audit log. */

import { setTimeout } from 'node:timers/promises';
import { type AuditEvent, type AuditTrail, credentialActor } from '../access/index.ts';
import { maskSensitive, type Operation, problems } from '../core/contract/index.ts';
import { createProtocols, type WireRequest } from '../core/formats/index.ts';
import {
  type Answer,
  type Authenticator,
  compileRoutes,
  compose,
  type Gateway,
  type HandlerContext,
  handleRequest,
  neutralParts,
} from '../core/gateway/index.ts';
import { createIdempotentExecutor, type RequestHasher } from '../core/idempotency/index.ts';
import { BoundedMap } from '../core/lib/index.ts';
import { auditedFieldsOf } from '../operators/index.ts';
import type { Implementation, ReadTransaction, Store } from '../stores/index.ts';
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
  /** The implementation of the service of the console. */
  readonly implementation: Implementation;
  /** Reports an unforeseen error. */
  readonly failed: (thrown: unknown) => void;
}

/** Answers a request to the service. Never rejects. */
export type AnswerApi = (request: WireRequest) => Promise<Answer>;

export function createConsoleApi(parts: ConsoleApiParts): AnswerApi {
  const { store, context, hasher, sessions, credentials } = parts;
  const { service } = parts.implementation;
  const composition = compose([parts.implementation]);
  const gateway: Gateway<ReadTransaction> = {
    ...neutralParts,
    protocols: createProtocols([service]),
    routes: compileRoutes([service]),
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
function authenticatorOf(
  request: WireRequest,
  { authenticator }: Pick<Gateway<never>, 'authenticator'>,
  sessions: Sessions,
): Authenticator {
  const authenticate: Authenticator['authenticate'] = async (origin) => {
    requireOwnPage(request);
    if (!isOfSession(request)) return authenticator.authenticate(origin);
    return { ...(await requireSession(sessions, request)).caller, bySession: true };
  };
  return { authenticate, requireCredential: authenticate };
}

/** A view has the name with which the path of its operations begins. */
function viewOf({ http }: Operation): string {
  return http?.path.split('/')[1] ?? '';
}

/** A page that refreshes itself is one view. */
const viewMs = 30 * 60_000;
const viewsMax = 10_000;

function createRecorder({ audit, context: { clock }, implementation }: ConsoleApiParts): (answer: Answer) => void {
  const seen = new BoundedMap<string, number>(viewsMax);
  const isNew = (key: string): boolean => {
    const now = clock.now();
    const before = seen.get(key);
    if (before !== undefined && Math.abs(now - before) < viewMs) return false;
    seen.set(key, now);
    return true;
  };
  return ({ entry: { operation, credential, tenant, outcome }, decoded }) => {
    const declared = operation === undefined ? undefined : implementation.service.operations.get(operation);
    if (declared === undefined || credential === undefined) return;
    const actor = credentialActor(credential);
    const view = viewOf(declared);
    if (decoded?.operation.effect === 'writes') {
      const detail = { tenant, outcome, ...detailOf(decoded) };
      audit.record({ kind: 'consoleAction', actor, subject: declared.name, detail } satisfies AuditEvent);
    } else if (outcome === 'ok' && isNew(`${credential} ${view}`)) {
      audit.record({ kind: 'consoleView', actor, subject: view, detail: { tenant } });
    }
  };
}

/** The fields of an action that say what it was done to. */
function detailOf({ operation, input }: NonNullable<Answer['decoded']>) {
  const masked = maskSensitive(operation.input, input) as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    auditedFieldsOf(operation).flatMap((name) => {
      const value = masked[name];
      return value === undefined ? [] : [[name, String(value).slice(0, detailMax)]];
    }),
  );
}

const detailMax = 100;
