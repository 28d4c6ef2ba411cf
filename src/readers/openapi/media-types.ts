/** Chooses between media types, and reads bodies that are neither JSON nor a form. */

import { binary, isJsonType, type Schema, string } from '../../core/contract/index.ts';
import { mediaTypeIn } from '../../core/lib/index.ts';
import { bytesMax } from '../../documents/index.ts';
import type { Node } from './documents.ts';
import { textOptions } from './scalars.ts';
import type { SchemaReader } from './schemas.ts';

/** The media type that is sent and asked for: JSON, or a form, or what there is. */
export function mediaOf(types: readonly string[]): string {
  const orders: readonly ((each: string) => boolean)[] = [
    (each) => mediaTypeIn(each) === 'application/json',
    (each) => isJsonType(mediaTypeIn(each)),
    (each) => each === '*/*' || each === 'application/*',
    (each) => mediaTypeIn(each) === 'application/x-www-form-urlencoded',
    (each) => mediaTypeIn(each) === 'multipart/form-data',
    (each) => mediaTypeIn(each).startsWith('text/') && !/xml/.test(each),
    () => true,
  ];
  for (const fits of orders) {
    const found = types.find(fits);
    if (found !== undefined) return found;
  }
  return 'application/json';
}

/** `application/json` for a type with a wildcard, and any other one without its parameters. */
export function concreteType(type: string): string {
  return type.includes('*') ? 'application/json' : mediaTypeIn(type);
}

/** A body that is one text, or bytes. */
export function textOrBytes(reader: SchemaReader, media: string, schema: Node | undefined): Schema {
  const isBinary = schema !== undefined && reader.shapeOf(schema).format === 'binary';
  const isText = !isBinary && /^text\/|xml|javascript|graphql|yaml|csv|x-www-form/.test(media);
  return isText ? string({ ...textOptions, example: 'text' }) : binary({ max: bytesMax, example: 'aGVsbG8=' });
}
