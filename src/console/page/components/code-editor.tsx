/** Code with line numbers, colours, folding and search: to be edited with marks at the places of issues, or to be read. */
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { CopyButton } from './button.tsx';
import type { CodeArea, CodeLanguage, Mark } from './code-area.ts';
import { Preformatted, Text } from './text.tsx';

interface CodeEditorProps {
  readonly label: string;
  readonly value: string;
  readonly language?: CodeLanguage;
  /** Absent where the text can only be read. */
  readonly onInput?: (value: string) => void;
  readonly marks?: readonly Mark[];
  /** Lines that are shown at least. */
  readonly rows?: number;
  /** The same text on several lines, where it has fewer. A text that was pasted is replaced by it. */
  readonly indented?: string | undefined;
}

const noMarks: readonly Mark[] = [];

export function CodeEditor(props: CodeEditorProps) {
  const { label, value, language = languageOf(value), onInput, marks = noMarks, rows = 8, indented } = props;
  const id = useId();
  const host = useRef<HTMLDivElement>(null);
  const [area, setArea] = useState<CodeArea>();
  const [isMissing, setMissing] = useState(false);
  // The area calls the function of the last rendering, and begins with the text of the last one.
  const last = useRef({ value, onInput });
  last.current = { value, onInput };
  const pasted = useRef<string | undefined>(undefined);
  useEffect(() => {
    let opened: CodeArea | undefined;
    let isClosed = false;
    const open = async (): Promise<void> => {
      const { createCodeArea } = await import('./code-area.ts');
      if (isClosed || host.current === null) return;
      const { value: text, onInput: edited } = last.current;
      const input = edited && {
        onInput(next: string, isPasted: boolean) {
          pasted.current = isPasted ? next : undefined;
          last.current.onInput?.(next);
        },
      };
      opened = createCodeArea(host.current, { label, text, language, rows, ...input });
      setArea(opened);
    };
    open().catch(() => setMissing(true));
    return () => {
      isClosed = true;
      opened?.close();
    };
  }, [label, rows]);
  useEffect(() => {
    if (indented === undefined || pasted.current !== value) return;
    pasted.current = undefined;
    last.current.onInput?.(indented);
  }, [indented, value]);
  // Before the next key: an effect after the paint would put an older text over what was typed since.
  useLayoutEffect(() => area?.setText(value), [area, value]);
  useLayoutEffect(() => area?.setLanguage(language), [area, language]);
  useLayoutEffect(() => area?.setMarks(marks), [area, marks, value]);
  return (
    <div class={marks.length > 0 ? 'editor invalid' : 'editor'}>
      <div class="editor-frame" ref={host} />
      {indented !== undefined && onInput !== undefined && (
        <button type="button" class="button quiet" onClick={() => onInput(indented)}>
          Indent
        </button>
      )}
      {isMissing && <Preformatted value={value} label={label} />}
      {marks.length > 0 && (
        <ul class="editor-issues" id={`${id}-marks`}>
          {marks.map((mark) => (
            <li key={`${mark.from} ${mark.message}`}>
              <button type="button" class="link" onClick={() => area?.select(mark)}>
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

interface CodeProps extends Pick<CodeEditorProps, 'label' | 'value' | 'language' | 'indented'> {
  readonly copyLabel?: string;
}

/** A message to be read: on several lines at first, and as it was sent on request. */
export function Code({ label, value, language, indented, copyLabel = 'Copy' }: CodeProps) {
  const [isRaw, setRaw] = useState(false);
  const shown = indented === undefined || isRaw ? value : indented;
  return (
    <div class="stack">
      <CodeEditor label={label} value={shown} language={language ?? languageOf(shown)} rows={1} />
      <div class="row">
        {indented !== undefined && (
          <button type="button" class="button quiet" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
            Raw
          </button>
        )}
        <CopyButton text={shown} label={copyLabel} />
      </div>
    </div>
  );
}

/** By the first character. Whatever it is not shows without colours. */
function languageOf(text: string): CodeLanguage {
  const [, first] = /^\s*(.)/.exec(text) ?? [];
  if (first === '<') return 'xml';
  return first === '{' || first === '[' ? 'json' : 'text';
}

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}
