/** The keys of callers and deprecations in Redis. They have one hash tag, so that one script may change several of them in a cluster. */

/** Creates the keys of the gateways with one scope. Those of another scope may share the Redis. */
export function createCallerKeys(scope: string) {
  const keyOf = (name: string) => `callers:v1:{${scope}}:${name}`;
  return Object.freeze({
    /** A hash by the ids of records: the first use, the last outcome and the use, in lines. */
    records: keyOf('records'),
    /** A sorted set of the ids of records, by their last use. */
    lastUses: keyOf('lastUses'),
    /** A hash of sealed last requests by the ids of records. */
    requests: keyOf('requests'),
    /** A hash of the numbers of records by tenant and credential. */
    credentials: keyOf('credentials'),
    /** A sorted set of the days that have counts. */
    days: keyOf('days'),
    /** A hash of counts by the ids of records. */
    day: (day: number) => keyOf(`day:${day}`),
    /** Present for a minute after a batch was added. */
    batch: (batch: string) => keyOf(`batch:${batch}`),
    /** A hash by credential. */
    owners: keyOf('owners'),
    /** A hash by name. */
    comparisons: keyOf('comparisons'),
    /** A hash: the deprecations, their revision, and the last change. */
    deprecations: keyOf('deprecations'),
  });
}

/** The keys of one scope. */
export type CallerKeys = ReturnType<typeof createCallerKeys>;
