/** Reads refusals in FORM: pairs, and the text of the form adapter. */
import { formStep, type ObjectSchema, type Operation } from '../../contract/index.ts';
import { decodeText } from '../body-text.ts';
import type { Faults } from '../faults.ts';
import type { Refusal, RefusalIssue, Reply } from '../protocol.ts';
import { defaultMessage, issuesMax, parseErrorLine, pathTo, refusalOf, textOf, tokensOf } from '../refusal.ts';
import { invalidFieldsHeader, readInvalidFields } from './invalid-fields.ts';
import { type Pair, parsePairs } from './pairs.ts';
import { type Node, treeOf } from './parse.ts';

interface ErrorReading {
  /** The name of the reference of a request. */
  readonly referenceName: string;
  readonly faults: Faults<Node>;
}

/** Undefined where no pair names an error. */
export function decodeError(
  { status, media: { charset }, body }: Reply,
  operation: Operation,
  { referenceName, faults }: ErrorReading,
): Refusal | undefined {
  const decoded = decodeText(body, charset);
  if ('fault' in decoded) return undefined;
  const parsed = parsePairs(decoded.text.trim(), Number.POSITIVE_INFINITY, charset);
  if ('fault' in parsed) return undefined;
  const pairs: ReadonlyMap<string, string> = new Map(parsed.pairs.map(([name, value]) => [name, value]));
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
    issues: issuesOf(pairs, operation.input),
    ...faultIn(parsed.pairs, operation, faults),
    ...(requestReference !== undefined && { requestReference }),
  };
}

/** `fault.OrderNotFound.orderId=7` */
function faultIn(pairs: readonly Pair[], operation: Operation, faults: Faults<Node>): Pick<Refusal, 'fault'> {
  const parsed = treeOf(pairs.filter(([name]) => name.startsWith('fault.')));
  const [only, ...others] = 'fault' in parsed ? [] : (parsed.tree.below.get('fault')?.below ?? []);
  if (only === undefined || others.length > 0) return {};
  return faults.read(operation, ...only) ?? {};
}

function issuesOf(pairs: ReadonlyMap<string, string>, input: ObjectSchema): readonly RefusalIssue[] {
  const issues: RefusalIssue[] = [];
  for (let at = 0; at < issuesMax; at++) {
    const name = pairs.get(`invalidFields.${at}.name`);
    if (name === undefined) break;
    const message = pairs.get(`invalidFields.${at}.message`) ?? '';
    issues.push({ path: pathTo(tokensOf(name), input, formStep), message });
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
