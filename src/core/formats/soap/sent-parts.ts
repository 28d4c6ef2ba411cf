/** Collects the bytes of a message that stand beside its envelope, while the envelope is printed. */
import { randomUUID } from 'node:crypto';
import { attachedFieldsOf, type BinarySchema, type Field, type ObjectSchema } from '../../contract/index.ts';
import type { SentPart } from '../related.ts';
import { xopUri } from './attachments.ts';
import type { Content } from './print.ts';

/** Parts of one message, beyond which bytes stand in the envelope. A receiver limits them, too. */
const optionalPartsMax = 64;

/** Printing is synchronous, so one collector serves all messages of a format. */
export class PartCollector {
  #parts: SentPart[] | undefined;
  #isXop = false;
  #idEnd = '';

  /** Prints an envelope. `isXop`: bytes that may stand in it are parts, too. */
  collect(isXop: boolean, print: () => string): { readonly text: string; readonly parts: readonly SentPart[] } {
    const parts: SentPart[] = [];
    this.#parts = parts;
    this.#isXop = isXop;
    this.#idEnd = `${randomUUID()}@triglyph`;
    try {
      return { text: print(), parts };
    } finally {
      this.#parts = undefined;
    }
  }

  /** Adds the fields of a message that are parts of their own. */
  addFields(schema: ObjectSchema, value: unknown): void {
    for (const name of attachedFieldsOf(schema)) {
      const { schema: bytes }: Field = schema.fields[name]!;
      const base64 = (value as Readonly<Record<string, unknown>>)[name];
      if (base64 !== undefined && bytes.kind === 'binary')
        this.#add(bytes, base64 as string, `${encodeURIComponent(name)}=${this.#idEnd}`);
    }
  }

  /** How bytes are printed: in base64, or as a reference to a part. */
  contentOf(schema: BinarySchema): Content {
    const refer = (base64: unknown): string => `cid:${this.#add(schema, base64 as string)}`;
    switch (schema.attached) {
      case 'swaRef':
        return { append: (text, value) => text + (this.#parts === undefined ? value : refer(value)) };
      case 'href':
        return {
          append: (text, value) => (this.#parts === undefined ? `${text}>${value}` : `${text} href="${refer(value)}">`),
          hasAttributes: true,
        };
      case undefined:
        return {
          append: (text, value) =>
            this.#isOptional()
              ? `${text}<xop:Include xmlns:xop="${xopUri}" href="${refer(value)}"/>`
              : text + (value as string),
          appendValue: (text, value) => text + (value as string),
        };
      default:
        return schema.attached satisfies never;
    }
  }

  #isOptional(): boolean {
    return this.#isXop && this.#parts !== undefined && this.#parts.length < optionalPartsMax;
  }

  #add({ mediaType = 'application/octet-stream' }: BinarySchema, base64: string, id?: string): string {
    const parts = this.#parts!;
    const contentId = id ?? `${parts.length + 1}.${this.#idEnd}`;
    parts.push({ contentId, mediaType, base64 });
    return contentId;
  }
}
