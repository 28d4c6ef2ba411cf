/** The name, attributes and status of the span of a request, by the semantic conventions for HTTP servers. */
import { type Span, SpanStatusCode } from '@opentelemetry/api';
import type { Answer } from '../../gateway/answer.ts';
import type { HttpFacts } from '../../gateway/request-observer.ts';
import { maskRequestId } from '../../http/request-id.ts';

/** Names and numbers as in the line of the log, never raw paths, whose segments may identify shoppers. */
export function describeRequest(
  span: Span,
  { entry }: Answer,
  { method, requestId, status, aborted }: HttpFacts,
): void {
  if (!span.isRecording()) return;
  const { path, problem, service, operation } = entry;
  if (path !== undefined) span.updateName(`${method} ${path}`);
  const isFailure = problem?.type === 'internal';
  span.setAttributes({
    'http.route': path,
    'url.path': path,
    'http.response.status_code': status,
    'user_agent.original': entry.client,
    'triglyph.protocol': entry.protocol,
    'triglyph.service': service,
    'triglyph.operation': operation,
    'triglyph.version': entry.version,
    'triglyph.requested_version': entry.requestedVersion,
    'triglyph.credential': entry.credential,
    'triglyph.request_reference': entry.requestReference || undefined,
    'triglyph.request_id': maskRequestId(requestId),
    'triglyph.outcome': entry.outcome,
    ...(entry.replayed && { 'triglyph.replayed': true }),
    ...(aborted && { 'triglyph.aborted': true }),
    ...(isFailure && { 'error.type': problem.problem }),
  });
  // A SOAP Fault is HTTP 500 for errors of the caller too.
  if (isFailure) span.setStatus({ code: SpanStatusCode.ERROR });
}
