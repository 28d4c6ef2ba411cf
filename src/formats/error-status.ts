/** The HTTP status of an error in formats that answer most errors with one status. */
import type { Problem } from '../contract/problem.ts';

/** Errors of the HTTP message or of its bytes keep their status; all others get the status of the format. */
export function errorStatus({ problem, status }: Problem, statusOfFormat: number): number {
  const keeps = httpStatuses.has(status) || problem === 'badRequest' || problem === 'unreadable';
  return keeps ? status : statusOfFormat;
}

const httpStatuses: ReadonlySet<number> = new Set([401, 403, 404, 405, 408, 413, 415, 503]);
