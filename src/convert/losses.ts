/** Finds what a format cannot hold: reads the converted messages, and compares them with what was to be written. */

import { Buffer } from 'node:buffer';
import { type Path, type Schema, variantOf } from '../core/contract/index.ts';
import { type ProtocolName, wireFormats } from '../core/formats/index.ts';
import { valueAt } from '../core/lib/index.ts';
import type { ConvertedMessage } from './conversion.ts';
import type { KnownServices } from './identify-message.ts';
import type { ReadMessage } from './read-message.ts';
import type { Change } from './scalar-changes.ts';

interface Loss {
  readonly path: Path;
  readonly changes: readonly Change[];
  readonly from: string;
  readonly to: string;
  readonly in: ProtocolName;
}

export function findLosses(
  { side, operation, content }: Pick<ReadMessage, 'side' | 'operation' | 'content'>,
  messages: Readonly<Partial<Record<ProtocolName, ConvertedMessage>>>,
  { routes, protocols }: Pick<KnownServices, 'routes' | 'protocols'>,
): readonly Loss[] {
  const readBack = (format: ProtocolName, { method = '', path = '', headers, body }: ConvertedMessage): unknown => {
    if (side !== 'request') return protocols[format].decodeResponse(operation, body).value;
    const [address = '', query = ''] = path.split('?');
    const lowerCase = Object.fromEntries(Object.entries(headers).map(([name, text]) => [name.toLowerCase(), text]));
    const media = { type: protocols[format].mediaType, charset: undefined };
    const target = routes.find(address).target(method);
    return protocols[format].decode(wireFormats[format].text.encode?.(body) ?? Buffer.from(body), media, target, {
      query,
      headers: lowerCase,
    }).input;
  };
  if (content.kind === 'refusal') return [];
  const { schema, value } = content;
  return Object.entries(messages).flatMap(([name, message]) => {
    const format = name as ProtocolName;
    return differences(schema, value, readBack(format, message), []).map(
      ({ path, from, to }): Loss => ({ path, changes: ['precision'], from, to, in: format }),
    );
  });
}

/** The scalars that differ, as JSON. */
function differences(
  schema: Schema,
  one: unknown,
  other: unknown,
  path: Path,
): readonly { readonly path: Path; readonly from: string; readonly to: string }[] {
  if (one === undefined || one === null) return [];
  switch (schema.kind) {
    case 'object':
      return Object.entries(variantOf(schema, one).fields).flatMap(([name, field]) =>
        differences(field.schema, member(one, name), member(other, name), [...path, name]),
      );
    case 'list': {
      if (schema.joined) break;
      const { item, itemName, wrapped } = schema;
      return (one as readonly unknown[]).flatMap((each, index) =>
        differences(item, each, member(other, index), [...path, { index, itemName, wrapped }]),
      );
    }
    case 'map': {
      const { item } = schema;
      if (item === undefined) break;
      return Object.entries(one as object).flatMap(([key, each]) =>
        differences(item, each, member(other, key), [...path, key]),
      );
    }
    default:
  }
  const [from = 'null', to = 'null'] = [JSON.stringify(one), JSON.stringify(other)];
  return from === to ? [] : [{ path, from, to }];
}

function member(value: unknown, name: string | number): unknown {
  return valueAt(value, [String(name)]);
}
