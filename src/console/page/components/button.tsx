/** Buttons. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

interface ButtonProps {
  /** `primary`: the one that a form or a page is for. `danger`: what cannot be undone. */
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger';
  readonly type?: 'button' | 'submit';
  readonly disabled?: boolean;
  /** Its action runs: it does nothing, and the keyboard stays at it. */
  readonly isBusy?: boolean;
  /** What it does, where its text does not say. */
  readonly label?: string;
  readonly pressed?: boolean;
  readonly onClick?: () => void;
  readonly children: ComponentChildren;
}

export function Button(props: ButtonProps) {
  const { kind = 'plain', type = 'button', disabled, isBusy = false, label, pressed, onClick, children } = props;
  return (
    <button
      type={type}
      class={`button ${kind}`}
      disabled={disabled}
      aria-disabled={isBusy ? 'true' : undefined}
      aria-label={label}
      aria-pressed={pressed}
      onClick={isBusy ? undefined : onClick}
    >
      {children}
    </button>
  );
}

/** Copies a text, and says so for a moment. */
export function CopyButton({
  text,
  label = 'Copy',
}: {
  readonly text: string | (() => string);
  readonly label?: string;
}) {
  const [state, setState] = useState<'idle' | 'done' | 'failed'>('idle');
  const copy = async (): Promise<void> => {
    const written = await writeClipboard(typeof text === 'string' ? text : text());
    setState(written ? 'done' : 'failed');
    setTimeout(() => setState('idle'), 1500);
  };
  return (
    <button type="button" class="button quiet" onClick={() => void copy()}>
      <span aria-live="polite">{state === 'idle' ? label : state === 'done' ? 'Copied' : 'Cannot copy here'}</span>
    </button>
  );
}

/** The clipboard is for pages from HTTPS and localhost. */
async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'offscreen';
    // Outside of an open dialog nothing can be selected.
    (document.querySelector('dialog[open]') ?? document.body).append(area);
    area.select();
    const written = document.execCommand('copy');
    area.remove();
    return written;
  }
}
