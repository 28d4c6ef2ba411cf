/** Reads refusals in JSON: our own errors, problem details (RFC 9457), and errors of other shapes that say a text. */
import { isUtf8 } from 'node:buffer';
import type { ObjectSchema, Operation } from '../../contract/index.ts';
import { isMembers, type Members } from '../../lib/index.ts';
import type { Faults } from '../faults.ts';
import type { Refusal, RefusalIssue, Reply } from '../protocol.ts';
import { defaultMessage, inJson, issuesMax, pathTo, textOf, tokensOf } from '../refusal.ts';

interface ErrorReading {
  /** The name of the reference of a request in our own errors. */
  readonly referenceName: string;
  readonly faults?: Faults<unknown>;
}

/** Undefined for a body that is no JSON. */
export function decodeError(
  { status, body }: Pick<Reply, 'status' | 'body'>,
  operation: Operation,
  { referenceName, faults }: ErrorReading,
): Refusal | undefined {
  const tree = parse(body);
  if (typeof tree === 'string') return { status, message: textOf(tree) ?? defaultMessage(status), issues: [] };
  const error = membersOf(Array.isArray(tree) ? tree[0] : tree);
  if (error === undefined) return undefined;
  const inner = membersOf(error.error) ?? {};
  const first = firstOf(error.errors ?? error.detail);
  const code = codeOf(error.errorCode, error.code, inner.code, first.code, error.error_description && error.error);
  const type = textOf(error.errorType);
  const requestReference = textOf(error[referenceName]) ?? textOf(error.requestId);
  const details = detailsOf(error);
  return {
    status,
    ...(code !== undefined && { code }),
    ...(type !== undefined && { type }),
    message: messageOf(error, inner, first) ?? defaultMessage(status),
    issues: issuesOf(error).flatMap(issueReader(operation.input)).slice(0, issuesMax),
    ...faultIn(error.fault, operation, faults),
    ...(requestReference !== undefined && { requestReference }),
    ...(details !== undefined && { details }),
  };
}

/** `{"OrderNotFound": {"orderId": "7"}}` */
function faultIn(value: unknown, operation: Operation, faults: Faults<unknown> | undefined): Pick<Refusal, 'fault'> {
  const [only, ...others] = Object.entries(membersOf(value) ?? {});
  if (only === undefined || others.length > 0) return {};
  return faults?.read(operation, ...only) ?? {};
}

/** Lenient: the sender has refused the request, whatever else is wrong. */
function parse(body: Buffer): unknown {
  const text = body.toString(isUtf8(body) ? 'utf8' : 'latin1').replace(/^\ufeff/, '');
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function membersOf(value: unknown): Members | undefined {
  return isMembers(value) ? value : undefined;
}

/** The names of texts, in the order of how much they say. */
function messageOf(error: Members, inner: Members, first: Members): string | undefined {
  return [
    ...[error.message, error.detail, error.errorMessage, error.error_description],
    ...[inner.message, inner.detail, inner.description, error.error],
    ...[first.message, first.detail, first.title, first.msg],
    ...[error.title, error.description, error.reason],
  ]
    .map(textOf)
    .find((text) => text !== undefined);
}

function codeOf(...values: readonly unknown[]): string | undefined {
  const found = values.find((value) => typeof value === 'number' || textOf(value) !== undefined);
  return found === undefined ? undefined : textOf(String(found))?.slice(0, 100);
}

/** A title makes problem details of an error; without a type it is `about:blank`. */
function detailsOf({ type, title, message }: Members): Refusal['details'] | undefined {
  const named = textOf(title);
  if (named === undefined || message !== undefined) return undefined;
  return { type: textOf(type) ?? 'about:blank', title: named };
}

function firstOf(errors: unknown): Members {
  return (Array.isArray(errors) ? membersOf(errors[0]) : undefined) ?? {};
}

/** What is wrong with fields: a list of objects that name them, or an object from names to texts. */
function issuesOf(error: Members): readonly unknown[] {
  const list = [error.invalidFields, error['invalid-params'], error.errors, error.detail].find(Array.isArray);
  if (list !== undefined) return list;
  const byName = membersOf(error.errors);
  if (byName === undefined) return [];
  return Object.entries(byName).map(([name, texts]) => ({ name, message: Array.isArray(texts) ? texts[0] : texts }));
}

function issueReader(input: ObjectSchema): (issue: unknown) => readonly RefusalIssue[] {
  return (issue) => {
    const each = membersOf(issue) ?? {};
    const { pointer, parameter } = membersOf(each.source) ?? {};
    const coordinates = [each.name, each.pointer, each.field, each.path, pointer, parameter, inFastApi(each.loc)].find(
      (name) => typeof name === 'string',
    );
    const message = textOf(each.message) ?? textOf(each.detail) ?? textOf(each.reason) ?? textOf(each.msg);
    if (coordinates === undefined || message === undefined) return [];
    const value = textOf(each.value);
    return [{ path: pathTo(tokensOf(coordinates), input, inJson), message, ...(value !== undefined && { value }) }];
  };
}

/** `["body", "items", 0, "price"]`: first the part of the request. */
function inFastApi(loc: unknown): string | undefined {
  return Array.isArray(loc) && loc.length > 1 ? loc.slice(1).join('.') : undefined;
}
