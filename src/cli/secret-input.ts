/** Reads what is no argument, since process lists and shell histories would show it. */
import { readFileSync } from 'node:fs';

/** Returns the text of a file, or that of standard input. Asks for it on a terminal. `what`: `secret`. */
export function readSecret(what: string, file: unknown): string {
  if (file === undefined && process.stdin.isTTY)
    process.stderr.write(`The ${what}, then Enter and Ctrl-D (the terminal shows it):\n`);
  return readFileSync(file === undefined ? 0 : String(file), 'utf8').replace(/\r?\n$/, '');
}
