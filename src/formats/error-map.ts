/** The map in errors from invalid fields to messages, for versions that have it. */
import { dotted } from '../contract/path.ts';
import type { Issue } from '../contract/problem.ts';
import type { Service } from '../contract/service.ts';

/** By the name of the member; empty if the version has no map or no field is invalid. A field has its first message. */
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
