/** The parts of errors that several formats have: the map of invalid fields, one line of text, and a status for most errors. */

import { conventionsOfMessages, dotted, type Issue, type Problem, type Service } from '../contract/index.ts';

/** The map from invalid fields to their first messages, by the name of its member. Empty if the version has none, or no field is invalid. */
export function errorMap(
  issues: readonly Issue[],
  service: Service | undefined,
): Readonly<Record<string, Readonly<Record<string, string>>>> {
  if (service?.errorMap === undefined) return {};
  const messages = new Map<string, string>();
  for (const { path, message } of issues)
    if (path.length > 0 && !messages.has(dotted(path))) messages.set(dotted(path), message);
  return messages.size === 0 ? {} : { [service.errorMap]: Object.fromEntries(messages) };
}

/**
 * Returns the status of the format for every error of a message that was read: SOAP stacks show the text of a fault with that
 * status only. Errors of the HTTP request keep their own.
 */
export function errorStatus({ kind }: Problem, statusOfFormat: number): number {
  return kind.keepsStatus === true ? kind.status : statusOfFormat;
}

/** `validation 101 Invalid card number`: the first issue alone, since clients compare this text. */
export function errorText({ type, code, message }: Problem): string {
  return `${type} ${code} ${message}`;
}

/**
 * The issues of a problem that a format with one text for its errors has to show beside it: several, or also one, where the text alone
 * does not name its field as the caller did. Services with plain errors show one only where it says more than the text (wire practice).
 */
export function furtherIssues({ issues, message }: Problem, service?: Service): readonly Issue[] {
  const showsOne = service !== undefined && conventionsOfMessages(service).errors !== 'plain';
  const saysMore = issues.some((each) => issueText(each) !== message);
  return issues.length > (showsOne ? 0 : 1) || saysMore ? issues : [];
}

/** What is wrong with a field, and what is valid there. */
export function issueText({ message, rule }: Issue): string {
  return rule === undefined ? message : `${message}: ${rule}`;
}
