/** The request that is being edited: in the form or in one format, and the others follow. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { editMessage } from '../converter/contract.ts';
import type { EditedMessage, ShownMessage } from '../converter/types.tsx';
import { packed } from '../form/draft.tsx';
import type { DraftObject } from '../form/types.tsx';
import { type ApiError, send, toApiError } from '../page/api.ts';
import type { Mark } from '../page/components/index.ts';
import type { Format } from '../page/formats.ts';
import type { Described } from './types.tsx';

interface Carried {
  readonly from: 'fields' | Format | undefined;
  readonly text: string;
}

/** A message of another operation, on its way to the page of that. */
let carried: Carried | undefined;

export function carry(message: Carried): void {
  carried = message;
}

/** The last edit of each operation, for a reader who leaves its page and comes back. */
const edited = new Map<string, Carried>();

interface RequestState {
  readonly draft: DraftObject;
  readonly messages: readonly ShownMessage[];
  /** Messages by the path of their field. */
  readonly issues: ReadonlyMap<string, string>;
  readonly changes: NonNullable<EditedMessage['changes']>;
  /** What is edited now. */
  readonly source: 'fields' | Format;
  /** The text of the source, where it is a format. */
  readonly sourceText: string;
  readonly sourceMarks: readonly Mark[];
  /** The text of the source on several lines, where it has fewer. */
  readonly indented: string | undefined;
  /** Why the source cannot be read: the others show what was read before. */
  readonly fault: string | undefined;
  readonly isPending: boolean;
}

export interface EditableRequest extends RequestState {
  /** Why the last edit was not read: the messages are of the edit before. */
  readonly error: ApiError | undefined;
  /** Reads the last edit again. */
  retry(): void;
  editDraft(draft: DraftObject): void;
  editText(format: Format, text: string): void;
}

const debounceMs = 250;

/** `onOther`: the text is a request of another operation. */
export function useRequest(
  described: Described,
  onOther: (found: EditedMessage, text: Carried) => void,
): EditableRequest {
  const [state, setState] = useState<RequestState>(() => ({
    ...empty,
    draft: JSON.parse(described.minimal) as DraftObject,
  }));
  const [error, setError] = useState<ApiError>();
  const timer = useRef<number | undefined>(undefined);
  const running = useRef<AbortController | undefined>(undefined);
  const { service, version, operation } = described;
  const page = `${service} ${version} ${operation}`;

  const load = useCallback(
    (from: 'fields' | Format | undefined, text: string, waitMs: number): void => {
      clearTimeout(timer.current);
      running.current?.abort();
      const controller = new AbortController();
      running.current = controller;
      timer.current = window.setTimeout(async () => {
        try {
          const body = { service, version, operation, ...(from !== undefined && { from }), ...packed(text) };
          const found = await send<typeof editMessage>('/explorer/messages', body, controller.signal);
          if (controller.signal.aborted) return;
          setError(undefined);
          const isOther =
            found.kind === 'request' &&
            (found.service !== service || found.version !== version || found.operation !== operation);
          if (isOther) onOther(found, { from: found.format, text });
          else setState((before) => merged(before, found, from));
        } catch (thrown) {
          if (controller.signal.aborted) return;
          setError(toApiError(thrown));
          setState((before) => ({ ...before, isPending: false }));
        }
      }, waitMs);
    },
    [service, version, operation, onOther],
  );
  const edit = (from: 'fields' | Format, text: string): void => {
    edited.set(page, { from, text });
    load(from, text, debounceMs);
  };

  useEffect(() => {
    const given = carried ?? edited.get(page) ?? { from: 'fields', text: described.minimal };
    carried = undefined;
    const draft = given.from === 'fields' && { draft: JSON.parse(given.text) as DraftObject };
    setState((before) => ({ ...before, ...draft, source: given.from ?? 'fields', sourceText: given.text }));
    load(given.from, given.text, 0);
    return () => {
      clearTimeout(timer.current);
      running.current?.abort();
    };
  }, [described, page, load]);

  return {
    ...state,
    error,
    editDraft(draft) {
      setState((before) => ({
        ...before,
        draft,
        source: 'fields',
        sourceMarks: [],
        fault: undefined,
        isPending: true,
      }));
      edit('fields', JSON.stringify(draft));
    },
    editText(format, text) {
      setState((before) => ({
        ...before,
        source: format,
        sourceText: text,
        sourceMarks: [],
        indented: undefined,
        isPending: true,
      }));
      edit(format, text);
    },
    retry() {
      setState((before) => ({ ...before, isPending: true }));
      const { source } = state;
      load(source, source === 'fields' ? JSON.stringify(state.draft) : state.sourceText, 0);
    },
  };
}

const empty: Omit<RequestState, 'draft'> = {
  messages: [],
  issues: new Map(),
  changes: [],
  source: 'fields',
  sourceText: '',
  sourceMarks: [],
  indented: undefined,
  fault: undefined,
  isPending: true,
};

function merged(before: RequestState, found: EditedMessage, from: 'fields' | Format | undefined): RequestState {
  const { kind, error = '', issues = [], messages = [], changes = [], draft, start = 0, end = start } = found;
  if (kind !== 'request' || draft === undefined) {
    const fault = error === '' ? `This is ${kind === 'answer' ? 'an answer' : 'an error'}, and no request.` : error;
    const marks = found.line === undefined ? [] : [{ from: start, to: end, message: error }];
    return { ...before, fault, sourceMarks: marks, isPending: false };
  }
  const byField = new Map<string, string>();
  for (const { field, message } of issues) byField.set(field, [byField.get(field), message].filter(Boolean).join(' '));
  const source = from === 'fields' ? 'fields' : (found.format ?? before.source);
  return {
    ...before,
    draft: from === 'fields' ? before.draft : (JSON.parse(draft) as DraftObject),
    messages,
    changes,
    issues: byField,
    source,
    sourceMarks: marksOf(issues),
    indented: found.indented,
    fault: undefined,
    isPending: false,
  };
}

export function marksOf(issues: EditedMessage['issues'] = []): readonly Mark[] {
  return issues.flatMap(({ start, end, at, message }) =>
    start === undefined || end === undefined ? [] : [{ from: start, to: end, message: `${at}: ${message}` }],
  );
}
