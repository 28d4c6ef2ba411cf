/** Times of requests in buckets of equal ratio, from which percentiles are estimated. */

/** Bounds grow by the fourth root of 2, so an estimate is wrong by 10 % at most. */
const bucketsPerDoubling = 4;
const lowestMs = 1 / 16;
/** The last bucket has all times from about a minute. */
export const bucketCount = 80;

export function bucketOf(ms: number): number {
  if (!(ms > lowestMs)) return 0;
  return Math.min(Math.floor(Math.log2(ms / lowestMs) * bucketsPerDoubling), bucketCount - 1);
}

/** The time that a share of the requests did not exceed; undefined without requests. `share`: 0.95 for the 95th percentile. */
export function percentile(buckets: ArrayLike<number>, share: number): number | undefined {
  let total = 0;
  for (let at = 0; at < bucketCount; at += 1) total += buckets[at] ?? 0;
  if (total === 0) return undefined;
  const rank = Math.ceil(share * total);
  let counted = 0;
  for (let at = 0; at < bucketCount; at += 1) {
    counted += buckets[at] ?? 0;
    if (counted >= rank) return middleOf(at);
  }
  return middleOf(bucketCount - 1);
}

/** In the middle of the bounds, with three digits. */
function middleOf(bucket: number): number {
  return Number((lowestMs * 2 ** ((bucket + 0.5) / bucketsPerDoubling)).toPrecision(3));
}
