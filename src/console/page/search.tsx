/** Search in everything that has an address: views, operations, callers, settings and the documentation; and a reference finds its request. */
import type { ComponentChild } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import type { listExplorerOperations } from '../explorer/contract.ts';
import type { listSettings } from '../state/contract.ts';
import { stateSections } from '../state/sections.tsx';
import { itemsOf, pathOf, read } from './api.ts';
import { Dialog, Text, type ViewProps } from './components/index.ts';
import { navigate } from './routing.tsx';
import { loadDocuments } from './use-documents.ts';
import { useNames } from './use-names.ts';
import { views } from './views.ts';

interface Target {
  readonly kind: 'View' | 'Operation' | 'Caller' | 'Setting' | 'Reference' | 'Page';
  readonly title: string;
  /** What else is searched, and shown in a smaller type. */
  readonly doc?: string | undefined;
  /** As for `navigate`. */
  readonly path: string;
}

const shownMax = 12;

/** The dialog. Ctrl-K, Command-K or a pasted reference opens it anywhere in the page, and whatever else calls `open`. */
export function useSearch(person: Person): {
  readonly open: () => void;
  readonly dialog: ComponentChild;
} {
  /** What is searched at first; undefined while the dialog is closed. */
  const [given, setGiven] = useState<string>();
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      // Another dialog asks for an answer first.
      if (document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      setGiven('');
    };
    // A reference that is pasted outside of the fields is searched.
    const paste = ({ target, clipboardData }: ClipboardEvent): void => {
      const pasted = clipboardData?.getData('text') ?? '';
      const isInField = target instanceof Element && target.closest('input, textarea, [contenteditable]') !== null;
      // Of an element in a shadow root, the host is the target.
      const isEditor = target instanceof Element && target.shadowRoot !== null;
      if (isInField || isEditor || document.querySelector('dialog[open]') !== null) return;
      if (isReference(pasted)) setGiven(pasted.trim());
    };
    addEventListener('keydown', press);
    addEventListener('paste', paste);
    return () => {
      removeEventListener('keydown', press);
      removeEventListener('paste', paste);
    };
  }, []);
  const close = (): void => setGiven(undefined);
  return {
    open: () => setGiven(''),
    dialog: given !== undefined && <SearchDialog person={person} given={given} onClose={close} />,
  };
}

type Person = Pick<ViewProps, 'gateway' | 'boundTenant'>;

interface SearchDialogProps {
  readonly person: Person;
  readonly given: string;
  readonly onClose: () => void;
}

function SearchDialog({ given, person, onClose }: SearchDialogProps) {
  const [text, setText] = useState(given);
  const [at, setAt] = useState(0);
  const targets = useTargets(person);
  const id = useId();
  const found = [...referencesIn(text, person), ...targets.filter((each) => isFound(each, text))].slice(0, shownMax);
  const selected = Math.min(at, found.length - 1);
  const open = ({ path }: Target): void => {
    onClose();
    navigate(path);
  };
  const press = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const target = found[selected];
    if (step === 0 && event.key !== 'Enter') return;
    event.preventDefault();
    if (step !== 0) setAt((selected + step + found.length) % Math.max(1, found.length));
    else if (target !== undefined) open(target);
  };
  return (
    <Dialog title="Search" onClose={onClose}>
      <input
        type="text"
        role="combobox"
        aria-label="Search in the console"
        aria-expanded={found.length > 0}
        aria-controls={id}
        aria-activedescendant={found.length > 0 ? `${id}-${selected}` : undefined}
        placeholder="An operation, a caller, a setting, a page, or a reference"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <div class="found" role="listbox" id={id} aria-label="Found">
        {found.map((target, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field.
          // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus, and names the active option.
          <div
            key={target.path}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === selected}
            onClick={() => open(target)}
          >
            <span class="hint">{target.kind}</span>
            <span>
              <Text value={cut(target.title)} />
              {target.doc !== undefined && (
                <span class="hint">
                  {' '}
                  <Text value={cut(target.doc)} />
                </span>
              )}
            </span>
          </div>
        ))}
      </div>
      <p class="hint" role="status">
        {found.length === 0 ? 'Nothing is found.' : found.length === shownMax ? 'The first of more.' : ''}
      </p>
    </Dialog>
  );
}

function cut(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

/** Each word is part of the title or of what is searched with it. */
function isFound({ kind, title, doc = '' }: Target, text: string): boolean {
  const whole = `${kind} ${title} ${doc}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => whole.includes(word));
}

/** A reference is pasted with whatever blanks around it. */
function isReference(text: string): boolean {
  return /^[A-Za-z0-9]{16}$/.test(text.trim());
}

/** The places of a reference. */
function referencesIn(text: string, { gateway, boundTenant }: Person): readonly Target[] {
  if (!isReference(text)) return [];
  const reference = text.trim();
  const places = [
    ['its requests in the traffic', `/traffic?reference=${reference}`],
    // Records in Redis, and those of a tenant, are found by their key only.
    ...(gateway.records === 'database' && boundTenant === undefined
      ? [['its idempotency record', `/state/records?reference=${reference}`] as const]
      : []),
    ['its pending request', `/state/pending/${reference}`],
    ['its entries in the audit log', `/state/audit?reference=${reference}`],
  ] as const;
  return places.map(([doc, path]) => ({ kind: 'Reference', title: reference, doc, path }));
}

/** Views at once; the others as they are loaded. What cannot be loaded is not found here: its view says why. */
function useTargets({ gateway, boundTenant }: Person): readonly Target[] {
  const [loaded, setLoaded] = useState<readonly Target[]>([]);
  useEffect(() => {
    const add = (more: readonly Target[]): void => setLoaded((before) => [...before, ...more]);
    read<typeof listExplorerOperations>('/explorer/operations').then(
      ({ operations }) =>
        add(
          itemsOf(operations).map(({ service, operation, to, doc }) => ({
            kind: 'Operation',
            title: `${service}.${operation} v${to}`,
            doc,
            path: pathOf`/explorer/${service}/${String(to)}/${operation}`,
          })),
        ),
      () => {},
    );
    loadDocuments(gateway).then(
      (pages) =>
        add(
          pages.flatMap(({ name, title, headings }): Target[] => [
            { kind: 'Page', title, path: `/docs/${name}` },
            ...headings.map(
              ([id, text]): Target => ({ kind: 'Page', title: text, doc: title, path: `/docs/${name}#${id}` }),
            ),
          ]),
        ),
      () => {},
    );
    if (boundTenant !== undefined) return;
    read<typeof listSettings>('/state/settings').then(
      ({ settings }) =>
        add(
          itemsOf(settings).map(({ name: title, doc }) => ({
            kind: 'Setting',
            title,
            doc,
            path: `/state/settings?settings.filter=${title}`,
          })),
        ),
      () => {},
    );
  }, []);
  const callers = [...(useNames()?.byId ?? [])].map(
    ([doc, title]): Target => ({
      kind: 'Caller',
      title,
      doc,
      path: `/callers/list?credential=${encodeURIComponent(title)}`,
    }),
  );
  const isShown = ({ isOfAll = false }: { readonly isOfAll?: boolean }) => boundTenant === undefined || !isOfAll;
  return [...viewTargets.filter(isShown), ...loaded, ...callers];
}

const viewTargets: readonly (Target & { readonly isOfAll?: boolean })[] = [
  ...views.map(({ name, title, isOfAll = false }) => ({ kind: 'View' as const, title, path: `/${name}`, isOfAll })),
  ...stateSections.map(({ name, title, isOfAll }) => ({
    kind: 'View' as const,
    title: `State: ${title}`,
    path: `/state/${name}`,
    isOfAll,
  })),
];
