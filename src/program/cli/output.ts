/** Standard output of commands, and what happens when it fails: the reader of a pipe has gone, or a disk is full. */
import { escapeLines } from '../../core/lib/index.ts';
import { explain } from './command-error.ts';

/**
 * Prints lines in one write: a reader that stops after the first lines does not cut off the others. Control characters are escaped: callers
 * and servers choose names and values. JSON stays the same value.
 */
export function print(...lines: readonly string[]): void {
  process.stdout.write(`${escapeLines(lines.join('\n'))}\n`);
}

/** Prints a list in one write; nothing for an empty one. */
export function printAll(lines: readonly string[]): void {
  if (lines.length > 0) print(lines.join('\n'));
}

/** Makes failures of standard output end the command without a stack. For the start of the program. */
export function handleOutputErrors(): void {
  process.stdout.on('error', handleOutputError);
  // Messages that cannot be shown do not change what the command does.
  process.stderr.on('error', () => {});
}

/** 128 + SIGPIPE: the status that shells show for a program whose reader has gone. */
const brokenPipeStatus = 141;

let isServing = false;
let isReported = false;

/** Makes failures of standard output end the log, where they would end a command. A server that cannot log still serves. */
export function serveWithoutOutput(): void {
  isServing = true;
}

/** For errors of standard output. The log of a server reports its own here; the first one is shown. */
export function handleOutputError(thrown: Error): void {
  const isBrokenPipe = 'code' in thrown && thrown.code === 'EPIPE';
  const isQuiet = isServing ? isReported : isBrokenPipe;
  if (!isQuiet) for (const line of explain(thrown)) process.stderr.write(`triglyph: standard output: ${line}\n`);
  isReported = true;
  if (isServing) return;
  process.exitCode = isBrokenPipe ? brokenPipeStatus : 1;
  process.exit();
}
