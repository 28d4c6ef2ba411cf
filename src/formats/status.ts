/** The HTTP status of a refusal in the text formats, which answer most refusals alike. */
import type { Problem } from '../contract/problem.ts';

const keptStatuses: ReadonlySet<number> = new Set([401, 403, 404, 405, 408, 413, 415, 503]);

/** What is wrong with the HTTP message or its bytes keeps its status in the text formats too; the rest is the format's choice. */
export const statusOf = ({ problem, status }: Problem, otherwise: number): number =>
  keptStatuses.has(status) || problem === 'badRequest' || problem === 'unreadable' ? status : otherwise;
