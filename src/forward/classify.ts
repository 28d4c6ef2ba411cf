/** Decides what a response of an upstream means: an answer, a refusal, or neither (decision 0039). */

import { isJsonType, label, type Operation, Problem, problems, type Service } from '../core/contract/index.ts';
import {
  type DecodedAnswer,
  defaultMessage,
  isTooLarge,
  type Protocol,
  type Refusal,
  type Reply,
} from '../core/formats/index.ts';
import { UpstreamFailure } from './failure.ts';
import type { UpstreamSetup } from './options.ts';
import { compileRefusals } from './refusal.ts';
import { unknownCharset } from './reply.ts';
import { retryAfterSeconds } from './retry-after.ts';
import { isSessionEnd } from './sessions.ts';

/** Returns the answer. Throws a Problem for a refusal without effect, and `UpstreamFailure` for anything else. */
export type Classify = (reply: Reply) => DecodedAnswer;

export function compileClassify(
  { credentials, key, soap, session }: Pick<UpstreamSetup, 'credentials' | 'key' | 'soap' | 'session'>,
  protocol: Protocol,
  service: Service,
  operation: Operation,
): Classify {
  const toProblem = compileRefusals(service, operation);
  // A fault of the security header that the gateway writes is not the caller's.
  const security = soap?.security;
  const isOfCaller = credentials.areOfCaller && (security === undefined || security.fromCredential !== undefined);
  const hasEnded = (refusal: Parameters<typeof isSessionEnd>[1]): boolean =>
    session !== undefined && operation !== session.logIn && isSessionEnd(session, refusal);
  const refuse = (refusal: Refusal, headers: Reply['headers'], error?: ErrorOfServer): never => {
    const { status } = refusal;
    if (hasEnded(refusal)) throw new UpstreamFailure('sessionEnded', 'notDone', detailOf(status));
    if (status === 401 && !isOfCaller) throw new UpstreamFailure('unauthorized', 'notDone', detailOf(status));
    const problem = toProblem(refusal, headers);
    // An earlier request with the key may be at work. Formats without a status have one code for that and for another request.
    const isInProgress =
      problem.kind === problems.inProgress || (refusal.code === problems.inProgress.code && refusal.isStatusImplied);
    if (key !== undefined && isInProgress)
      throw new UpstreamFailure('inProgress', 'unknown', { detail: String(status), cause: problem });
    // The contract has the code, and says that nothing was done.
    if (error === 'serverError' && problem.kind.transient === true)
      throw new UpstreamFailure('busy', 'notSent', {
        detail: String(status),
        cause: problem,
        retryAfterSeconds: waitOf(headers),
      });
    if (error !== undefined) throw new UpstreamFailure(error, 'unknown', { detail: String(status), cause: problem });
    throw problem;
  };

  // An answer without fields says nothing, whatever it is; and one field holds any text, or any bytes.
  const { answer } = operation.upstream ?? {};
  const isOwnAnswer =
    answer !== undefined &&
    (answer.type === undefined ? Object.keys(operation.output.fields).length === 0 : !isJsonType(answer.type));

  function readAnswer(reply: Reply): DecodedAnswer {
    const { media, headers, body } = reply;
    const detail = detailOf(reply.status);
    if (operation.oneWay) return readReceipt(reply);
    const isEmptyJson = body.length === 0 && media.type === '';
    if (!protocol.upstream.isAnswerType(media.type) && !isEmptyJson && !isOwnAnswer)
      throw new UpstreamFailure('contentType', 'unknown', detail);
    // No text is no JSON: something on the way has lost the body.
    const isLost =
      !isOwnAnswer &&
      body.length === 0 &&
      media.type !== '' &&
      reply.status !== 204 &&
      protocol.upstream.isNeverEmpty === true;
    if (isLost) throw new UpstreamFailure('notInFormat', 'unknown', detail);
    if (unknownCharset(headers['content-type']) !== undefined) throw new UpstreamFailure('charset', 'unknown', detail);
    const answer = decode(reply);
    if ('refusal' in answer) return refuse(answer.refusal, headers, errorOfServer(answer.refusal));
    const [issue] = answer.issues;
    // Each answer to the request would be as large.
    if (issue?.kind === problems.tooLong)
      throw new UpstreamFailure('tooLarge', 'unknown', { detail: `${label(issue.path)} is too long`, isSuccess: true });
    if (issue !== undefined)
      throw new UpstreamFailure('contract', 'unknown', { detail: label(issue.path), cause: Problem.of(answer.issues) });
    return answer;
  }

  /** Whatever a server writes below a status of success, unless it is a refusal. */
  function readReceipt(reply: Reply): DecodedAnswer {
    const refusal = reply.body.length === 0 ? undefined : refusalIn(reply);
    return refusal === undefined ? received : refuse(refusal, reply.headers, errorOfServer(refusal));
  }

  function refusalIn(reply: Reply): Refusal | undefined {
    try {
      const answer = protocol.decodeAnswer(operation, reply);
      return 'refusal' in answer ? answer.refusal : undefined;
    } catch (cause) {
      if (cause instanceof Problem) return undefined;
      throw cause;
    }
  }

  function decode(reply: Reply) {
    try {
      return protocol.decodeAnswer(operation, reply);
    } catch (cause) {
      if (!(cause instanceof Problem)) throw cause;
      // The status says that the request was executed, and each answer to it would be as large.
      const reason = isTooLarge(cause) ? 'tooLarge' : 'notInFormat';
      throw new UpstreamFailure(reason, 'unknown', { detail: cause.reason, cause, isSuccess: reply.status < 300 });
    }
  }

  function refuseClientError(reply: Reply): never {
    const { status, headers, body } = reply;
    // A proxy on the way wants a credential of the gateway. Clients would take the status for one of their own proxy.
    if (status === 407) throw new UpstreamFailure('unauthorized', 'notDone', detailOf(status));
    // Some gateways answer 408 where their own server is late. No request of ours may be refused with 425 (RFC 8470, section 5.2).
    if (status === 408 || status === 425) throw new UpstreamFailure('proxyError', 'unknown', detailOf(status));
    const refusal = protocol.decodeError(reply, operation);
    if (refusal !== undefined)
      return refuse(refusal, headers, refusal.isStatusImplied === true ? errorOfServer(refusal) : undefined);
    if (status === 429)
      throw new UpstreamFailure('busy', 'notSent', { ...detailOf(status), retryAfterSeconds: waitOf(headers) });
    // A body in another format is not of the server but of something before it, except for what every client must know.
    if (body.length === 0 || status === 401 || status === 403)
      return refuse({ status, message: defaultMessage(status), issues: [] }, headers);
    throw new UpstreamFailure('notInFormat', 'notDone', detailOf(status));
  }

  function refuseServerError(reply: Reply): never {
    const { status, headers } = reply;
    const refusal = protocol.decodeError(reply, operation);
    const wait = waitOf(headers);
    const isAnswer = refusal !== undefined && isOfApplication(refusal, status);
    // What refuses load does so before the application. Only a fault is certainly of the application itself.
    if (status === 503 && wait !== undefined && !(isAnswer && operation.effect === 'writes'))
      throw new UpstreamFailure('busy', refusal === undefined ? 'notSent' : 'unknown', {
        detail: String(status),
        cause: refusal && toProblem(refusal, headers),
        retryAfterSeconds: wait,
      });
    if (refusal !== undefined) return refuse(refusal, headers, isAnswer ? errorOfServer(refusal) : 'gatewayError');
    throw new UpstreamFailure('proxyError', 'unknown', detailOf(status));
  }

  return (reply) => {
    const { status } = reply;
    // A part is no answer, and no HTTP status is greater than 599 (RFC 9110, section 15).
    if (status === 206) throw new UpstreamFailure('truncated', 'unknown', detailOf(status));
    if (status > 599) throw new UpstreamFailure('notHttp', 'unknown', detailOf(status));
    if (hasEnded({ status })) throw new UpstreamFailure('sessionEnded', 'notDone', detailOf(status));
    if (status < 300) return readAnswer(reply);
    // 307 and 308 ask for the same request elsewhere, and the other ones may follow an effect.
    if (status < 400) {
      const isElsewhere = status === 307 || status === 308;
      throw new UpstreamFailure('redirect', isElsewhere ? 'notDone' : 'unknown', detailOf(status));
    }
    return status < 500 ? refuseClientError(reply) : refuseServerError(reply);
  };
}

const received: DecodedAnswer = Object.freeze({ value: Object.freeze({}), issues: [], unknownMembers: [] });

/** The reasons of errors that a server calls its own: those that its application wrote, and those that a proxy may have written. */
type ErrorOfServer = 'serverError' | 'gatewayError';

/** Returns undefined for a refusal that blames the request. */
function errorOfServer({ status, isStatusImplied, isUndeclared, type }: Refusal): ErrorOfServer | undefined {
  if (isUndeclared === true) return 'serverError';
  // The type of an error says more than a status that all errors share.
  const isOfServer = isStatusImplied === true ? type === 'internal' : status >= 500;
  return isOfServer ? 'serverError' : undefined;
}

/** By these, proxies say in any format that the server has not answered them. */
const gatewayStatuses: readonly number[] = [502, 503, 504];

/** Whether an application wrote the error: a fault of SOAP, or an error with a text or a code below a status that no proxy has. */
function isOfApplication({ isFault, code, message }: Refusal, status: number): boolean {
  if (isFault === true) return true;
  return !gatewayStatuses.includes(status) && (code !== undefined || message !== defaultMessage(status));
}

function detailOf(status: number): { readonly detail: string } {
  return { detail: String(status) };
}

function waitOf(headers: Reply['headers']): number | undefined {
  return retryAfterSeconds(headers['retry-after']);
}
