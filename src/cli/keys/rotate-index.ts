/** The part of `triglyph keys rotate` and `status` for the index key. */
import type { Backend } from '../../backend/backend.ts';
import type { IndexRotation } from '../../backend/index-rotation.ts';
import { print, printAll } from '../output.ts';

/** Computes fingerprints anew where there is an old index key. Sets exit code 1 if records do not open. */
export async function rotateIndex({ indexRotation }: Pick<Backend, 'indexRotation'>): Promise<void> {
  if (indexRotation.state !== 'old') {
    printAll(await indexLines(indexRotation));
    return;
  }
  const { changed, broken } = await indexRotation.run(() => {});
  print(
    ...broken.first.map(({ tenant, record }) => `${tenant} ${record}: it does not open, so its fingerprint stays`),
    `${changed} records have fingerprints under the current index key.`,
    ...(await indexLines(indexRotation)),
  );
  if (broken.rows > 0) process.exitCode = 1;
}

/** Says what still needs the second index key; nothing where there is none. */
export async function indexLines({ state, findRecords }: IndexRotation): Promise<readonly string[]> {
  switch (state) {
    case undefined:
      return [];
    case 'next':
      return ['index-next  on standby: triglyph keys use FILE index, when every server knows it'];
    case 'old': {
      const { records, expireAt } = await findRecords();
      if (records === 0)
        return ['index-old  needed by no idempotency record: its line may be removed after keys rotate'];
      const until = expireAt === null || expireAt > 8.64e15 ? 'they are settled' : new Date(expireAt).toISOString();
      return [`index-old  needed by ${records} idempotency records, until ${until}`];
    }
    default:
      return state satisfies never;
  }
}
