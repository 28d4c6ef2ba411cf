/** An object of JSON, before its members are checked. */
export type Members = Readonly<Record<string, unknown>>;

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value behind names of members of objects in each other; undefined where one has no such member. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce(
    (at, name) =>
      typeof at === 'object' && at !== null ? Object.getOwnPropertyDescriptor(at, name)?.value : undefined,
    value,
  );
}
