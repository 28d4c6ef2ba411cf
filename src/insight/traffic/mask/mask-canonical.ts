/** Masks a canonical value: what the contract calls sensitive becomes a placeholder, and other texts lose the secrets in them. */
import {
  describeMasked,
  type Field,
  maskScalar,
  printableName,
  type Schema,
  variantOf,
} from '../../../core/contract/index.ts';
import { type MaskText, masked } from './mask-body.ts';

/** The value must have no issues. Texts in maps are masked: nothing says what callers put there. */
export function maskCanonical(schema: Schema, value: unknown, maskText: MaskText): unknown {
  if (value === undefined || value === null) return value;
  switch (schema.kind) {
    case 'list':
      if (schema.joined) return value;
      return (value as readonly unknown[]).map((item) => maskCanonical(schema.item, item, maskText));
    case 'map':
      return Object.fromEntries(
        Object.entries(value).map(([key, each]) => [
          printableName(key),
          schema.item === undefined ? masked : maskCanonical(schema.item, each, maskText),
        ]),
      );
    case 'object':
      return Object.fromEntries(
        Object.entries<Field>(variantOf(schema, value).fields).flatMap(([name, field]) => {
          const each = Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
          const shown = each === undefined ? undefined : maskCanonical(field.schema, each, maskText);
          return shown === undefined ? [] : [[name, shown]];
        }),
      );
    case 'binary':
      return masked;
    default: {
      const mask = maskScalar(schema);
      // A moment has no placeholder.
      if (mask !== undefined && schema.kind === 'dateTime') return mask(value);
      if (mask !== undefined) return schema.kind === 'string' ? describeMasked(String(mask(value) ?? '')) : masked;
      if (typeof value === 'number') return maskText(String(value)) === String(value) ? value : masked;
      return typeof value === 'string' ? maskText(value) : value;
    }
  }
}
