/** The HTTP status of an error in formats that answer most errors with one status. */
import type { Problem } from '../contract/problem.ts';

/**
 * Returns the status of the format for every error of a message that was read: SOAP stacks show the text of a fault with that
 * status only. Errors of the HTTP request keep their own.
 */
export function errorStatus({ kind }: Problem, statusOfFormat: number): number {
  return kind.keepsStatus === true ? kind.status : statusOfFormat;
}
