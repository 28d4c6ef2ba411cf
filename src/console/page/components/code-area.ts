/**
 * The area in which code is edited or read: CodeMirror with line numbers, colours, folding and search. It is loaded apart from the page.
 * It lies in a shadow root, where its styles need no inline style that the content security policy would forbid.
 */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { jsonLanguage } from '@codemirror/lang-json';
import { xmlLanguage } from '@codemirror/lang-xml';
import {
  bracketMatching,
  codeFolding,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  syntaxHighlighting,
} from '@codemirror/language';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState, type Extension, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { invisible, nameOf } from './text.tsx';

/** A place in the text, and what is wrong there. */
export interface Mark {
  /** The first character, and the one after the last. Equal where the place has no width. */
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

export type CodeLanguage = 'json' | 'xml' | 'text';

interface CodeAreaOptions {
  readonly label: string;
  readonly text: string;
  readonly language: CodeLanguage;
  /** Lines that are shown at least. */
  readonly rows: number;
  /** Absent where the text can only be read. */
  readonly onInput?: (text: string, isPasted: boolean) => void;
}

/**
 * Typing over a selection: the browser would give the new text the style of the old one by an inline style, which the content security
 * policy refuses.
 */
const typingOverSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { inputType, data, isComposing } = event;
    if (inputType !== 'insertText' || data === null || isComposing || view.state.readOnly) return false;
    const { from, to } = selectionIn(view);
    if (from === to) return false;
    event.preventDefault();
    const changes = { from, to, insert: data };
    view.dispatch({
      changes,
      selection: { anchor: from + data.length },
      userEvent: 'input.type',
      scrollIntoView: true,
    });
    return true;
  },
});

/** The selection of the document, which the state of the view follows a moment later. Chromium has one for each shadow root. */
function selectionIn(view: EditorView): { readonly from: number; readonly to: number } {
  const { root } = view;
  const selection = 'getSelection' in root ? (root.getSelection as () => Selection | null).call(root) : null;
  const { anchorNode = null, focusNode = null, anchorOffset = 0, focusOffset = 0 } = selection ?? {};
  const isInside = anchorNode !== null && focusNode !== null && view.contentDOM.contains(anchorNode);
  if (!isInside) return view.state.selection.main;
  const ends = [view.posAtDOM(anchorNode, anchorOffset), view.posAtDOM(focusNode, focusOffset)] as const;
  return { from: Math.min(...ends), to: Math.max(...ends) };
}

/** As other texts of callers show it. */
function printInvisible(code: number, description: string | null): HTMLElement {
  const shown = document.createElement('span');
  shown.className = 'cm-specialChar';
  shown.textContent = nameOf(code);
  shown.title = description ?? 'a character that cannot be seen';
  return shown;
}

/** What a component does with its area. */
export interface CodeArea {
  /** Replaces what differs, so that the cursor keeps its place in the rest. */
  setText(text: string): void;
  setLanguage(language: CodeLanguage): void;
  setMarks(marks: readonly Mark[]): void;
  /** Selects the place of a mark and scrolls to it. */
  select(mark: Mark): void;
  close(): void;
}

const setMarksEffect = StateEffect.define<readonly Mark[]>();

const markField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    for (const effect of transaction.effects)
      if (effect.is(setMarksEffect)) return decorationsOf(effect.value, transaction.state.doc.length);
    return marks.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** A place without a width is shown as that of one character; at the end of the text, there is nothing to mark. */
function decorationsOf(marks: readonly Mark[], length: number): DecorationSet {
  const ranges = marks.flatMap(({ from, to, message }) => {
    const end = Math.min(length, Math.max(to, from + 1));
    const start = Math.min(from, end - 1);
    return start < 0 ? [] : [Decoration.mark({ tagName: 'mark', attributes: { title: message } }).range(start, end)];
  });
  return Decoration.set(ranges, true);
}

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.tagName], color: 'var(--accent)' },
  { tag: [tags.string, tags.attributeValue], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--info)' },
  { tag: tags.attributeName, color: 'var(--warning)' },
  { tag: [tags.comment, tags.processingInstruction, tags.angleBracket, tags.punctuation], color: 'var(--ink-soft)' },
]);

const theme = EditorView.theme({
  '&': { color: 'var(--ink)', fontSize: '12.5px', maxHeight: '32rem' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '0.6rem 0' },
  '.cm-line': { padding: '0 0.75rem', unicodeBidi: 'plaintext' },
  '.cm-gutters': { background: 'var(--raised)', color: 'var(--ink-soft)', borderRight: '1px solid var(--line)' },
  '.cm-foldPlaceholder': { background: 'var(--accent-soft)', border: '1px solid var(--line)', color: 'var(--ink)' },
  '.cm-specialChar': {
    color: 'var(--warning)',
    background: 'var(--warning-soft)',
    borderRadius: '3px',
    padding: '0 0.25em',
  },
  '.cm-panels': { background: 'var(--raised)', color: 'var(--ink)', borderColor: 'var(--line)' },
  '.cm-textfield, .cm-button': { minHeight: '24px' },
  '.cm-textfield': { background: 'var(--surface)', color: 'var(--ink)', border: '1px solid var(--line-strong)' },
  '.cm-button': { background: 'var(--surface)', color: 'var(--ink)', border: '1px solid var(--line-strong)' },
  '.cm-searchMatch, .cm-selectionMatch': { background: 'var(--warning-soft)' },
  mark: {
    color: 'inherit',
    background: 'var(--bad-soft)',
    borderBottom: '2px solid var(--bad)',
    borderRadius: '2px',
  },
});

/** Creates an area in an element, which gets a shadow root where it has none. */
export function createCodeArea(host: HTMLElement, options: CodeAreaOptions): CodeArea {
  const { label, text, language, rows, onInput } = options;
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const spoken = new Compartment();
  let isOwnChange = false;
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        // A carriage return stays what it is: places count characters of the text that was sent.
        EditorState.lineSeparator.of('\n'),
        EditorState.readOnly.of(onInput === undefined),
        typingOverSelection,
        EditorView.contentAttributes.of({
          tabindex: '0',
          'aria-label': label,
          spellcheck: 'false',
          autocorrect: 'off',
          autocapitalize: 'off',
        }),
        spoken.of(extensionOf(language)),
        lineNumbers(),
        foldGutter(),
        codeFolding(),
        highlightSpecialChars({ specialChars: invisible, render: printInvisible }),
        highlightSelectionMatches(),
        bracketMatching(),
        search({ top: true }),
        history(),
        keymap.of([...defaultKeymap, ...historyKeymap, ...foldKeymap, ...searchKeymap]),
        syntaxHighlighting(colours),
        EditorView.perLineTextDirection.of(true),
        EditorView.theme({ '.cm-content, .cm-gutter': { minHeight: `calc(${rows} * 1.55em + 1.2rem)` } }),
        theme,
        markField,
        EditorView.updateListener.of((update) => {
          if (!update.docChanged || isOwnChange) return;
          const isPasted = update.transactions.some((each) => each.isUserEvent('input.paste'));
          onInput?.(update.state.doc.toString(), isPasted);
        }),
      ],
    }),
  });
  return {
    setText(next) {
      const before = view.state.doc.toString();
      if (next === before) return;
      isOwnChange = true;
      view.dispatch({ changes: differenceOf(before, next) });
      isOwnChange = false;
    },
    setLanguage: (next) => view.dispatch({ effects: spoken.reconfigure(extensionOf(next)) }),
    setMarks: (marks) => view.dispatch({ effects: setMarksEffect.of(marks) }),
    select({ from, to }) {
      const { length } = view.state.doc;
      const head = Math.min(length, Math.max(to, from + 1));
      view.dispatch({ selection: { anchor: Math.min(from, length), head }, scrollIntoView: true });
      view.focus();
    },
    close: () => view.destroy(),
  };
}

/** The one change from a text to another: what follows their common beginning and precedes their common end. */
function differenceOf(before: string, next: string): { from: number; to: number; insert: string } {
  const shorter = Math.min(before.length, next.length);
  let from = 0;
  while (from < shorter && before[from] === next[from]) from += 1;
  let end = 0;
  while (end < shorter - from && before.at(-1 - end) === next.at(-1 - end)) end += 1;
  return { from, to: before.length - end, insert: next.slice(from, next.length - end) };
}

/** Forms and heads of HTTP have no grammar of their own. Lines are never wrapped: laying out one of a megabyte takes half a minute. */
function extensionOf(language: CodeLanguage): Extension {
  switch (language) {
    case 'json':
      return jsonLanguage;
    case 'xml':
      return xmlLanguage;
    case 'text':
      return [];
    default:
      return language satisfies never;
  }
}
