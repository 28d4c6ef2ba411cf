/** Says where in the text of a format each issue stands. */
import type { Issue } from '../../contract/problem.ts';
import type { Protocols } from '../../formats/index.ts';
import type { Locate } from '../locate.ts';
import type { EditedText, PlacedIssue } from './edited-request.ts';

export function placeIssues(
  issues: readonly Issue[],
  { format, operation }: Pick<EditedText, 'format' | 'operation'>,
  protocols: Protocols,
  locate: Locate,
): readonly PlacedIssue[] {
  return issues.map((issue) => ({
    ...issue,
    at: protocols[format].coordinates(issue.path, operation, 'input', issue.kind),
    place: locate(issue.path, issue.kind),
  }));
}
