/** The version of this program. */
import { readFileSync } from 'node:fs';

const { version: read } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

export const version = read;
