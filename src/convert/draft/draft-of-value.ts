/** A canonical value as a draft: each scalar as the text that every format reads. */
import { callWhole, mapItems, type Schema, variantChooser, walk } from '../../core/contract/index.ts';
import type { Draft } from './draft.ts';

export function draftOfValue(schema: Schema, value: unknown): Draft {
  return walk<(value: unknown) => Draft>(schema, {
    scalar:
      ({ kind }) =>
      (each) =>
        kind === 'dateTime' ? new Date(each as number).toISOString() : String(each),
    joined: () => (each) => (each as readonly string[]).join(','),
    list: (_, item) => (each) => mapItems(each, item).map((draft) => draft ?? ''),
    map:
      (_, item = String) =>
      (each) =>
        mapped(each as object, () => item),
    object: (_, members) => {
      const parts = new Map(members.map(({ name, part }) => [name, part]));
      return (each) => mapped(each as object, (name) => parts.get(name));
    },
    variants: (schema, own, others) => {
      const draftOf = variantChooser(schema, own, others);
      return (each) => draftOf(each)(each);
    },
    self: callWhole,
  })(value);
}

function mapped(value: object, partOf: (name: string) => ((value: unknown) => Draft) | undefined): Draft {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]): [string, Draft][] => {
      const part = partOf(name);
      return part === undefined || each === undefined ? [] : [[name, part(each)]];
    }),
  );
}
