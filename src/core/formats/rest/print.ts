/** Prints the parts of a message: path, query, headers, and problem details (RFC 9457). */
import {
  type Conventions,
  describeKind,
  dotted,
  hidesDotSegment,
  type Issue,
  isDotSegment,
  namesInPath,
  type ObjectSchema,
  Problem,
} from '../../contract/index.ts';
import { issueText } from '../errors.ts';

type Values = Readonly<Record<string, unknown>>;

/** Throws a Problem for values that would change the path: a server may decode dots and slashes before it removes segments. */
export function printPath(path: string, value: Values): string {
  const printed = path.replace(/\{(\w+)\}/g, (_, name: string) => percentEncode(String(value[name])));
  checkPath(printed, namesInPath(path), value);
  return printed;
}

/** `names`: of the fields in the path. Throws as `printPath`. */
export function checkPath(printed: string, names: readonly string[], value: Values): void {
  if (!printed.includes('.')) return;
  const isDot = printed.split('/').some(isDotSegment);
  const field = names.find((name) => hidesDotSegment(String(value[name]))) ?? (isDot ? dotOf(names, value) : undefined);
  if (field !== undefined) throw Problem.at([field], 'invalidField', field);
}

function dotOf(names: readonly string[], value: Values): string {
  return names.find((name) => isDotSegment(String(value[name]))) ?? '';
}

/** Encodes all but the unreserved characters (RFC 3986, section 2.3). */
export function percentEncode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** With its question mark; empty without a field in the query. */
export function printQuery(schema: ObjectSchema, value: Values): string {
  const pairs = Object.keys(schema.fields).flatMap((name) =>
    value[name] === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(String(value[name]))}`],
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

export function printHeaders(schema: ObjectSchema, value: Values): Record<string, string> {
  return Object.fromEntries(
    Object.entries(schema.fields).flatMap(([name, { header = name }]) =>
      value[name] === undefined ? [] : [[header, String(value[name])]],
    ),
  );
}

/** `issues`: those of the problem, with names as in JSON. The `name` of a field is dotted. `instance` is the reference of the request as a URI. */
export function printProblemDetails(
  problem: Problem,
  issues: readonly Issue[],
  requestId: string,
  conventions: Conventions,
): string {
  const { type, title, code } = describeKind(problem.kind, conventions);
  const invalidFields = issues.map((each) => ({
    name: each.where ?? dotted(each.path),
    message: issueText(each),
    value: each.value ?? '',
  }));
  return JSON.stringify({
    type,
    title,
    status: problem.status,
    detail: problem.message,
    requestId,
    instance: `urn:${conventions.requestReference}:${requestId}`,
    errorCode: code,
    ...(invalidFields.length > 0 && { invalidFields }),
  });
}
