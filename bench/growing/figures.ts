/** The measured figures that docs/growing.md multiplies. `npm run bench -- --only stores --write` renews them. */
import { readFileSync } from 'node:fs';

/** Of one forwarded write with a key, on one Redis. */
export interface Figures {
  /** CPU of a gateway, in microseconds. */
  readonly gatewayUs: number;
  /** CPU of Redis, its flushes included, in microseconds. */
  readonly storeUs: number;
  /** Memory of Redis for a record with its outcome. */
  readonly recordBytes: number;
  /** What Redis appends to its file. */
  readonly logBytes: number;
}

export const figuresFile = new URL('figures.json', import.meta.url);

export function readFigures(): Figures {
  return JSON.parse(readFileSync(figuresFile, 'utf8')) as Figures;
}
