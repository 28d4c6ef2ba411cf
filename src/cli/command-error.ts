/** What went wrong, in plain lines for the one at the command line: no stack, and no digits of a card. */
import { redact } from '../lib/redact.ts';

/** A command that cannot be done; each line says what is wrong and how to mend it. */
export class CommandError extends Error {
  override readonly name = 'Refusal';
  readonly lines: readonly string[];
  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
    this.lines = lines;
  }
}

/** Throws a Refusal that names all faults at once, where there are any. */
export const fail = (faults: readonly string[]): void => {
  if (faults.length > 0) throw new CommandError(faults);
};

/** What the operating system says in a code, in words. */
const systemFaults: Readonly<Record<string, string>> = Object.freeze({
  EADDRINUSE: 'the address is in use: stop what listens there, or choose another port',
  EACCES: 'permission denied',
  EEXIST: 'there is such a file already',
  EISDIR: 'that is a folder',
  ENOENT: 'there is no such file or folder',
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
});

/** What a system error adds to its code. */
interface SystemError extends NodeJS.ErrnoException {
  readonly address?: string;
  readonly port?: number;
}

const place = ({ path, address, port }: SystemError): string =>
  path ?? (port === undefined ? '' : `${address ?? ''}:${port}`);

export const explain = (thrown: unknown): readonly string[] => {
  if (!(thrown instanceof Error)) return [redact(String(thrown))];
  const { code } = thrown as NodeJS.ErrnoException;
  const fault = code === undefined ? undefined : systemFaults[code];
  if (fault !== undefined) return [redact(`${place(thrown)}: ${fault}`.replace(/^: /, ''))];
  return thrown.message.split('\n').map(redact);
};
