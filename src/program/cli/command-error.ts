/** Error messages of commands: plain lines without a stack and without card numbers. */
import { describeSystemError, escapeUnprintable, redact } from '../../core/lib/index.ts';

/** A command that cannot be done. Each line says what is wrong and how to correct it. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly lines: readonly string[];
  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
    this.lines = lines;
  }
}

/** Throws a CommandError with all faults, if there are any. */
export function fail(faults: readonly string[]): void {
  if (faults.length > 0) throw new CommandError(faults);
}

/** Returns the lines of an error, with its causes in the last one. Control characters are escaped: messages quote files and servers. */
export function explain(thrown: unknown): readonly string[] {
  const message = messageOf(thrown);
  const causes = causesOf(thrown).filter((cause) => !message.includes(cause));
  const chain = causes.length === 0 ? '' : ` (cause: ${[...new Set(causes)].join('; ')})`;
  return redact(`${message}${chain}`).split('\n').map(escapeUnprintable);
}

const causesMax = 4;

function causesOf(thrown: unknown): readonly string[] {
  const causes: string[] = [];
  for (let cause = nextCause(thrown); cause !== undefined && causes.length < causesMax; cause = nextCause(cause))
    // The message of a SyntaxError quotes what was parsed, which may be a secret.
    causes.push(cause instanceof SyntaxError ? cause.name : messageOf(cause));
  return causes;
}

const nextCause = (thrown: unknown): unknown => (thrown instanceof Error ? thrown.cause : undefined);

function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const { code, path, address, port } = thrown as SystemError;
  const fault = describeSystemError(thrown);
  if (fault === undefined) return thrown.message || code || thrown.name;
  const place = path ?? (port === undefined ? undefined : `${address ?? ''}:${port}`);
  return place === undefined ? fault : `${place}: ${fault}`;
}

interface SystemError extends NodeJS.ErrnoException {
  readonly address?: string;
  readonly port?: number;
}
