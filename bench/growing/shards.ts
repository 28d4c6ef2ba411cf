/** How the hash tags of records lie on the masters of a Redis cluster, and what the busiest one gets. */
import { pendingLists } from '../../src/stores/redis/record-keys.ts';

const slots = 16_384;

/** The slots of all hash tags; each tag has the same share of the records. */
export const slotsOfTags: readonly number[] = pendingLists.map(slotOf);

/** CRC16 (XMODEM) of the hash tag, as the specification of Redis clusters says. */
export function slotOf(key: string): number {
  const tag = /\{([^}]+)\}/.exec(key)?.[1] ?? key;
  let crc = 0;
  for (const byte of Buffer.from(tag)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = ((crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021) & 0xffff;
  }
  return crc % slots;
}

/** Tags of each master where every master has the same number of slots, as `redis-cli --cluster create` gives them. */
export function tagsBySlots(masters: number): readonly number[] {
  const counts = Array.from({ length: masters }, () => 0);
  for (const slot of slotsOfTags) counts[Math.min(Math.floor((slot * masters) / slots), masters - 1)]! += 1;
  return counts;
}

/** The same where an operator has moved slots until all masters have as many tags as possible alike. */
export function tagsMoved(masters: number): readonly number[] {
  const tags = slotsOfTags.length;
  return Array.from(
    { length: masters },
    (_, at) => Math.floor(((at + 1) * tags) / masters) - Math.floor((at * tags) / masters),
  );
}
