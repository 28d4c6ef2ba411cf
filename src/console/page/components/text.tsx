/** Shows texts of callers as text, with control characters and overrides of the direction made visible; and badges. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

/** C0 and C1 controls, marks and overrides of the direction, and characters without a width. Tab and line feed are apart. */
export const invisible =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Returns `U+202E` for a character. */
export function nameOf(code: number): string {
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** A longer text is cut until it is asked for. */
const shownMax = 10_000;

interface TextProps {
  readonly value: string;
  /** Characters that are shown at first. */
  readonly max?: number;
}

export function Text({ value, max = shownMax }: TextProps) {
  const [isWhole, setWhole] = useState(false);
  const isCut = !isWhole && value.length > max;
  return (
    <bdi class="text">
      {marked(isCut ? value.slice(0, max) : value)}
      {isCut && (
        <button type="button" class="link" onClick={() => setWhole(true)}>
          … {(value.length - max).toLocaleString('en')} more characters
        </button>
      )}
    </bdi>
  );
}

/** A block of text with its lines: a message, a stack. */
export function Preformatted({ value, label, max = 50_000 }: TextProps & { readonly label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: who has only a keyboard scrolls it.
    <section class="block" tabIndex={0} aria-label={label}>
      <pre>
        <Text value={value} max={max} />
      </pre>
    </section>
  );
}

function marked(value: string): ComponentChildren {
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const match of value.matchAll(invisible)) {
    parts.push(value.slice(end, match.index));
    parts.push(
      <span class="control" title="a character that cannot be seen">
        {nameOf(match[0].codePointAt(0)!)}
      </span>,
    );
    end = match.index + match[0].length;
  }
  return end === 0 ? value : [...parts, value.slice(end)];
}

export type Tone = 'neutral' | 'good' | 'warning' | 'bad' | 'info';

/** A short mark. Its word says what it means; its colour repeats it. */
export function Badge({ tone = 'neutral', children }: { readonly tone?: Tone; readonly children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}
