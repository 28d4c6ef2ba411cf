/** The items of a list in an answer: the service leaves an empty list out. */
export function itemsOf<T>(list: readonly T[] | undefined): readonly T[] {
  return list ?? [];
}
