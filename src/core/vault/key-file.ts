/** Changes a key file atomically: writes a temporary file, flushes it and renames it. */
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
import { isWrappingId, KeyRingError, type Purpose, parseKeyLines } from './key-lines.ts';
import { freshKey, freshKeyId } from './key-ring.ts';

interface NewKey {
  readonly standby: boolean;
  /** As the key provider writes it. In the clear by default. */
  readonly key?: string;
}

interface Added {
  readonly id: string;
  /** The id of the current key before the change. */
  readonly earlier: string;
}

/**
 * Adds a new wrapping key: as the current one, or as a standby key that all servers load before one seals with it. Throws
 * KeyRingError where the file is invalid or is being changed, and errors of the file system.
 */
export function addWrappingKey(path: string, { standby, key }: NewKey): Added {
  const { id, earlier } = changeKeyFile(path, (text) => withFreshKey(text, standby, key));
  return { id, earlier };
}

/** Adds a new index key or pepper, as `addWrappingKey` does. The earlier one becomes `<purpose>-old`. */
export function addPurposeKey(path: string, purpose: Purpose, { standby, key = freshKey() }: NewKey): void {
  changeKeyFile(path, (text) => {
    const added = `${text.trimEnd()}\n${purpose}-next:${key}\n`;
    parseKeyLines(added);
    return { text: standby ? added : withNextPurpose(added, purpose) };
  });
}

/** Makes the standby key of a purpose the current one. Throws KeyRingError where there is none. */
export function usePurposeKey(path: string, purpose: Purpose): void {
  changeKeyFile(path, (text) => ({ text: withNextPurpose(text, purpose) }));
}

/** Replaces the text of each key, by its id: for instance by the same key wrapped anew. */
export function replaceKeys(path: string, keys: ReadonlyMap<string, string>): void {
  changeKeyFile(path, (text) => {
    const lines = text.split('\n').map((line) => {
      const key = keys.get(idOf(line));
      return key === undefined ? line : `${idOf(line)}:${key}`;
    });
    return { text: lines.join('\n') };
  });
}

/** Makes a wrapping key the current one. Throws as `addWrappingKey` does, and for an unknown id. */
export function useWrappingKey(path: string, id: string): void {
  changeKeyFile(path, (text) => ({ text: withCurrent(text, id) }));
}

/** The new file has mode 0600. Root also preserves the owner; another user cannot. */
function changeKeyFile<T>(path: string, change: (text: string) => { readonly text: string } & T): T {
  const file = realpathSync(path);
  const temporary = `${file}.new`;
  const handle = openTemporary(temporary);
  try {
    try {
      const before = readFileSync(file, 'utf8');
      parseKeyLines(before);
      const changed = change(before);
      parseKeyLines(changed.text);
      fchmodSync(handle, 0o600);
      writeSync(handle, changed.text);
      fsyncSync(handle);
      const { uid, gid } = statSync(file);
      if (process.getuid?.() === 0) chownSync(temporary, uid, gid);
      renameSync(temporary, file);
      flush(dirname(file));
      return changed;
    } finally {
      closeSync(handle);
    }
  } catch (thrown) {
    rmSync(temporary, { force: true });
    throw thrown instanceof KeyRingError ? new KeyRingError(`${path}: ${thrown.message}`, { cause: thrown }) : thrown;
  }
}

/** The temporary file is also a lock: it exists while a process changes the keys. */
function openTemporary(path: string): number {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
    throw new KeyRingError(`${path} is there: another process changes the keys, or was interrupted; if so, remove it`);
  }
}

/** A rename is durable once its folder is flushed. Windows cannot flush a folder. */
function flush(path: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Inserts a new wrapping key: first as the current key, or last as a standby key. */
function withFreshKey(text: string, standby: boolean, key = freshKey()): Added & { readonly text: string } {
  const lines = text.split('\n');
  const places = wrappingLines(lines);
  const earlier = idOf(lines[places[0]!]!);
  const line = `${freshKeyId()}:${key}`;
  lines.splice(standby ? places.at(-1)! + 1 : places[0]!, 0, line);
  return { text: lines.join('\n'), id: idOf(line), earlier };
}

/** The indexes of the lines with wrapping keys, in order. All other lines stay unchanged. */
function wrappingLines(lines: readonly string[]): readonly number[] {
  return lines.flatMap((line, index) => (idOf(line) !== '' && isWrappingId(idOf(line)) ? [index] : []));
}

/** The current key becomes the old one, and the next key the current one. */
function withNextPurpose(text: string, purpose: Purpose): string {
  const lines = text.split('\n');
  const place = lines.findIndex((line) => idOf(line) === purpose);
  const next = lines.findIndex((line) => idOf(line) === `${purpose}-next`);
  if (next < 0)
    throw new KeyRingError(`there is no line ${purpose}-next: \`triglyph keys add --${purpose} --standby\` adds it`);
  lines[next] = `${purpose}-old:${keyOf(lines[place]!)}`;
  lines[place] = `${purpose}:${keyOf(text.split('\n')[next]!)}`;
  return lines.join('\n');
}

function keyOf(line: string): string {
  return line.slice(line.indexOf(':') + 1).trim();
}

function idOf(line: string): string {
  return line.trimStart().startsWith('#') ? '' : line.split(':')[0]!.trim();
}

/** Moves a wrapping key to the front. Throws KeyRingError for an unknown id. */
function withCurrent(text: string, id: string): string {
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
}
