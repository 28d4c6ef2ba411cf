/** Changes a key file whole or not at all: written beside it, flushed, and put in its place. */
import {
  chownSync,
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { freshWrappingLine, KeyRingError, parseKeyRing } from './key-ring.ts';

const idOf = (line: string): string => (line.trimStart().startsWith('#') ? '' : line.split(':')[0]!.trim());

/** Where the lines of the wrapping keys are, in their order; all else in the file is left as it is. */
const wrappingLines = (lines: readonly string[]): readonly number[] =>
  lines.flatMap((line, index) => (['', 'index', 'pepper'].includes(idOf(line)) ? [] : [index]));

export interface Added {
  readonly id: string;
  /** The current key until then. */
  readonly earlier: string;
}

/** Puts a fresh wrapping key first, or, to stand by, last. */
const withFreshKey = (text: string, standby: boolean): Added & { readonly text: string } => {
  const lines = text.split('\n');
  const places = wrappingLines(lines);
  const earlier = idOf(lines[places[0]!]!);
  const line = freshWrappingLine();
  lines.splice(standby ? places.at(-1)! + 1 : places[0]!, 0, line);
  return { text: lines.join('\n'), id: idOf(line), earlier };
};

/** Puts a wrapping key first. Throws KeyRingError where there is none with the id. */
const withCurrent = (text: string, id: string): string => {
  const lines = text.split('\n');
  const places = wrappingLines(lines);
  const place = places.find((index) => idOf(lines[index]!) === id);
  if (place === undefined) {
    const ids = places.map((index) => idOf(lines[index]!)).join(', ');
    throw new KeyRingError(`no wrapping key has the id ${id}: there are ${ids}`);
  }
  const [line] = lines.splice(place, 1);
  lines.splice(places[0]!, 0, line!);
  return lines.join('\n');
};

/** What is renamed is sure to stay so only with its folder on the disk; Windows flushes no folders. */
const flush = (path: string): void => {
  if (process.platform === 'win32') return;
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
};

/** Keeps two from changing it at once, as it exists for as long as one of them is at work. */
const openBeside = (path: string): number => {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
    throw new KeyRingError(`${path} is there: somebody changes the keys, or was interrupted; if so, remove it`);
  }
};

/** The file's owner stays, as far as it may be given away; its mode becomes 0600. */
const changeKeyFile = <T>(path: string, change: (text: string) => { readonly text: string } & T): T => {
  const file = realpathSync(path);
  const beside = `${file}.new`;
  const handle = openBeside(beside);
  try {
    try {
      const before = readFileSync(file, 'utf8');
      parseKeyRing(before);
      const changed = change(before);
      parseKeyRing(changed.text);
      fchmodSync(handle, 0o600);
      writeSync(handle, changed.text);
      fsyncSync(handle);
      const { uid, gid } = statSync(file);
      if (process.getuid?.() === 0) chownSync(beside, uid, gid);
      renameSync(beside, file);
      flush(dirname(file));
      return changed;
    } finally {
      closeSync(handle);
    }
  } catch (thrown) {
    rmSync(beside, { force: true });
    throw thrown;
  }
};

/**
 * Adds a fresh wrapping key: as the current one, or behind the others so that servers know it before any seals with it.
 * Throws KeyRingError where the file holds no key ring or is being changed, and what the file system says.
 */
export const addWrappingKey = (path: string, { standby }: { readonly standby: boolean }): Added => {
  const { id, earlier } = changeKeyFile(path, (text) => withFreshKey(text, standby));
  return { id, earlier };
};

/** Makes a wrapping key the current one. Throws as `addWrappingKey` does, and where there is none with the id. */
export const useWrappingKey = (path: string, id: string): void => {
  changeKeyFile(path, (text) => ({ text: withCurrent(text, id) }));
};
