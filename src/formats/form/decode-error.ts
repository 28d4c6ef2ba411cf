/** Reads refusals in FORM: pairs, and the text of the form adapter. */
import type { ObjectSchema } from '../../contract/schema.ts';
import { decodeText } from '../body-text.ts';
import type { Refusal, RefusalIssue, Reply } from '../protocol.ts';
import { defaultMessage, issuesMax, parseErrorLine, pathTo, refusalOf, textOf, tokensOf } from '../refusal.ts';
import { invalidFieldsHeader, readInvalidFields } from './invalid-fields.ts';
import { parsePairs } from './pairs.ts';

/** `referenceName`: of the reference of a request. Undefined where no pair names an error. */
export function decodeError(
  { status, media: { charset }, body }: Reply,
  input: ObjectSchema,
  referenceName: string,
): Refusal | undefined {
  const decoded = decodeText(body, charset);
  if ('fault' in decoded) return undefined;
  const parsed = parsePairs(decoded.text.trim(), Number.POSITIVE_INFINITY, charset);
  if ('fault' in parsed) return undefined;
  const pairs: ReadonlyMap<string, string> = new Map(parsed.pairs);
  const message = textOf(pairs.get('message'));
  const code = textOf(pairs.get('errorCode'));
  if (message === undefined && code === undefined) return undefined;
  const type = textOf(pairs.get('errorType'));
  const requestReference = textOf(pairs.get(referenceName));
  return {
    status,
    ...(code !== undefined && { code }),
    ...(type !== undefined && { type }),
    message: message ?? defaultMessage(status),
    issues: issuesOf(pairs, input),
    ...(requestReference !== undefined && { requestReference }),
  };
}

function issuesOf(pairs: ReadonlyMap<string, string>, input: ObjectSchema): readonly RefusalIssue[] {
  const issues: RefusalIssue[] = [];
  for (let at = 0; at < issuesMax; at++) {
    const name = pairs.get(`invalidFields.${at}.name`);
    if (name === undefined) break;
    const message = pairs.get(`invalidFields.${at}.message`) ?? '';
    issues.push({ path: pathTo(tokensOf(name), input), message });
  }
  return issues;
}

/** `validation 101 Invalid card number`. `prefix`: before the names of the fields of the operation. */
export function decodeErrorText(
  { status, media: { charset }, headers, body }: Reply,
  input: ObjectSchema,
  prefix: string,
): Refusal | undefined {
  const decoded = decodeText(body, charset);
  const line = 'fault' in decoded ? undefined : parseErrorLine(decoded.text);
  if (line === undefined) return undefined;
  const fields = readInvalidFields(headers[invalidFieldsHeader.toLowerCase()]);
  const issues = fields.map(([name, message]) => ({ path: pathTo(tokensBelow(prefix, name), input), message }));
  return refusalOf(line, status, issues);
}

function tokensBelow(prefix: string, coordinates: string): readonly string[] {
  const [first, ...rest] = tokensOf(coordinates);
  if (first === undefined) return [];
  return first === prefix ? rest : [first, ...rest];
}
