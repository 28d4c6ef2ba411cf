/** Says in words what an error of the operating system means, by its code. */

/** Returns undefined for other errors, and for codes without words. */
export function describeSystemError(thrown: unknown): string | undefined {
  const { code } = Object(thrown) as NodeJS.ErrnoException;
  return code === undefined ? undefined : faults[code];
}

const faults: Readonly<Record<string, string>> = Object.freeze({
  EADDRINUSE: 'the address is in use: stop what listens there, or choose another port',
  EACCES: 'permission denied',
  ECONNREFUSED: 'the connection is refused: nothing listens there',
  EEXIST: 'there is such a file already',
  EISDIR: 'that is a folder',
  ENOENT: 'there is no such file or folder',
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
});
