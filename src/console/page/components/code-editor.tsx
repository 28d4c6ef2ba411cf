/** An editor for messages: a plain text area with line numbers, and marks at the places of issues. */
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Text } from './text.tsx';

/** A place in the text, and what is wrong there. */
export interface Mark {
  /** The first character, and the one after the last. Equal where the place has no width. */
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

interface CodeEditorProps {
  readonly label: string;
  readonly value: string;
  /** Absent where the text can only be read. */
  readonly onInput?: (value: string) => void;
  readonly marks?: readonly Mark[];
  /** Lines that are shown at least. */
  readonly rows?: number;
}

export function CodeEditor({ label, value, onInput, marks = [], rows = 8 }: CodeEditorProps) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const under = useRef<HTMLPreElement>(null);
  const gutter = useRef<HTMLPreElement>(null);
  const follow = (): void => {
    const { scrollTop = 0, scrollLeft = 0 } = area.current ?? {};
    if (gutter.current !== null) gutter.current.scrollTop = scrollTop;
    if (under.current === null) return;
    under.current.scrollTop = scrollTop;
    under.current.scrollLeft = scrollLeft;
  };
  useLayoutEffect(follow);
  const lines = countLines(value);
  const select = ({ from, to }: Mark): void => {
    area.current?.focus();
    area.current?.setSelectionRange(from, Math.max(to, from + 1));
  };
  return (
    <div class={marks.length > 0 ? 'editor invalid' : 'editor'}>
      <label class="offscreen" for={id}>
        {label}
      </label>
      <div class="editor-frame">
        <pre class="editor-gutter" aria-hidden="true" ref={gutter}>
          {lineNumbers(lines)}
        </pre>
        <div class="editor-text">
          <pre class="editor-marks" aria-hidden="true" ref={under}>
            {markedText(value, marks)}
            {'\n'}
          </pre>
          <textarea
            id={id}
            ref={area}
            value={value}
            rows={Math.max(rows, Math.min(lines, rowsMax))}
            wrap="off"
            spellcheck={false}
            autocomplete="off"
            autocapitalize="off"
            readOnly={onInput === undefined}
            aria-invalid={marks.length > 0}
            aria-describedby={marks.length > 0 ? `${id}-marks` : undefined}
            onInput={(event) => onInput?.(event.currentTarget.value)}
            onScroll={follow}
          />
        </div>
      </div>
      {marks.length > 0 && (
        <ul class="editor-issues" id={`${id}-marks`}>
          {marks.map((mark) => (
            <li key={`${mark.from} ${mark.message}`}>
              <button type="button" class="link" onClick={() => select(mark)}>
                Line {countLines(value.slice(0, mark.from))}
              </button>
              : <Text value={mark.message} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const rowsMax = 30;

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

function lineNumbers(lines: number): string {
  return Array.from({ length: lines }, (_, at) => at + 1).join('\n');
}

/** Only the marks are seen; the text is that of the text area above. */
function markedText(value: string, marks: readonly Mark[]): ComponentChildren {
  if (marks.length === 0) return null;
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const { from, to } of marks.toSorted((a, b) => a.from - b.from)) {
    if (from < end) continue;
    const last = Math.max(to, from + 1);
    parts.push(value.slice(end, from), <mark>{value.slice(from, last) || ' '}</mark>);
    end = last;
  }
  return [...parts, value.slice(end)];
}
