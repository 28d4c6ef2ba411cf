/** Logs requests: one line for each, with names and numbers only, never with the content of a body. */

import type { Conventions } from '../core/contract/index.ts';
import type { WireRequest } from '../core/formats/index.ts';
import type { Answer, HttpFacts, LogEntry, RequestObserver } from '../core/gateway/index.ts';
import { BoundedMap, redact } from '../core/lib/index.ts';
import { describeError, type Log } from './log.ts';
import { maskRequestId } from './request-id.ts';

/** What the services of a server call these members of a line. */
type MemberNames = Pick<Conventions, 'requestReference' | 'tenant'>;

export function createRequestLog(log: Log, names: MemberNames): Required<Pick<RequestObserver, 'answered'>> {
  const printCaller = createCallerPrinter(names);
  const answered = (_request: WireRequest, { entry }: Pick<Answer, 'entry'>, http: HttpFacts): void => {
    const { problem } = entry;
    // The problem decides the level and not the status: a SOAP Fault is HTTP 500 for errors of the caller too.
    const isFailure = problem?.type === 'internal';
    if (!isFailure && !log.writesRequests) return;
    const cause = isFailure ? problem.cause : undefined;
    const { requestReference } = entry;
    const { requestId } = http;
    const members =
      printCaller(entry, http.method) +
      textMember(names.requestReference, requestReference || undefined) +
      `"requestId":"${requestId === requestReference ? requestId : maskRequestId(requestId)}",` +
      `"traceId":"${http.traceId}",${textMember('outcome', entry.outcome)}` +
      (entry.replayed ? '"replayed":true,' : '') +
      textMember('deprecation', entry.deprecation) +
      textMember('leniencies', entry.leniencies?.join(' ')) +
      `"status":${http.status},"ms":${Math.round(http.ms * 1000) / 1000},"bytesIn":${http.bytesIn},` +
      `"bytesOut":${http.bytesOut},${textMember('address', http.address)}` +
      (http.aborted ? '"aborted":true,' : '') +
      textMember('reason', problem?.reason) +
      (cause === undefined ? '' : `"cause":${JSON.stringify(describeError(cause))},`);
    // The comma after the last member is cut.
    log.writeRequest(isFailure ? 'error' : 'info', members.slice(0, -1));
  };
  return { answered };
}

/** Printed members, and what they were printed of besides the keys under which they are found. */
interface PrintedCaller {
  readonly entry: LogEntry;
  readonly method: string;
  readonly members: string;
}

/** Of each path, and of how many paths callers are printed once. */
const callersMax = 200;
const pathsMax = 100;

/**
 * Returns a function that prints what the requests of one caller to one address have in common. Printing them each time costs as much
 * as the rest of the line. The strings of the keys live long, so that their hashes are known.
 */
function createCallerPrinter(names: MemberNames): (entry: LogEntry, method: string) => string {
  const cache = new BoundedMap<string, BoundedMap<string, PrintedCaller>>(pathsMax);
  const createCallers = () => new BoundedMap<string, PrintedCaller>(callersMax);
  return (entry, method) => {
    const { path = '', credential = '' } = entry;
    const ofPath = cache.getOrCreate(path, createCallers);
    const known = ofPath.get(credential);
    if (known !== undefined && isSame(known, entry, method)) return known.members;
    const members = printCaller(entry, method, names);
    // A problem holds stacks.
    ofPath.set(credential, { entry: { ...entry, problem: undefined }, method, members });
    return members;
  };
}

function isSame({ entry: known, method }: PrintedCaller, entry: LogEntry, itsMethod: string): boolean {
  return (
    entry.client === known.client &&
    entry.protocol === known.protocol &&
    entry.operation === known.operation &&
    entry.account?.value === known.account?.value &&
    entry.requestedVersion === known.requestedVersion &&
    entry.version === known.version &&
    entry.tenant === known.tenant &&
    itsMethod === method
  );
}

function printCaller(entry: LogEntry, method: string, names: MemberNames): string {
  const { account, version, requestedVersion } = entry;
  return (
    `"method":"${method}",${textMember('path', entry.path)}${textMember('protocol', entry.protocol)}` +
    textMember('service', entry.service) +
    (version === undefined ? '' : `"version":${version},`) +
    (requestedVersion === undefined ? '' : `"requestedVersion":${requestedVersion},`) +
    textMember('operation', entry.operation) +
    textMember('credential', entry.credential) +
    textMember(names.tenant, entry.tenant) +
    (account === undefined ? '' : textMember(account.field, redact(account.value))) +
    textMember('client', entry.client)
  );
}

/** Text that JSON does not escape. Nearly every value is one. */
const plain = /^[ !#-[\]-~]*$/;

function textMember(name: string, value: string | undefined): string {
  if (value === undefined) return '';
  return plain.test(value) ? `"${name}":"${value}",` : `"${name}":${JSON.stringify(value)},`;
}
