/** A dialog: the keyboard begins at its first field or at the button that does nothing, the browser keeps it inside, and Escape closes it. */
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './button.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** `side`: beside the page, at its right, for what is opened from a list. */
  readonly place?: 'centre' | 'side';
  readonly children: ComponentChildren;
}

export function Dialog({ title, onClose, place = 'centre', children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isPressedOutside = useRef(false);
  const id = useId();
  // Before the next key, which is for the dialog.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    element?.querySelector<HTMLElement>(firstField)?.focus();
    return () => element?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it, too.
    <dialog
      ref={dialog}
      class={`dialog ${place}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => {
        isPressedOutside.current = event.target === dialog.current;
      }}
      onClick={(event) => {
        // A selection of text that ends outside is a click there, too.
        if (event.target === dialog.current && isPressedOutside.current) onClose();
      }}
    >
      <div class="dialog-content">
        <header>
          <h2 id={id}>{title}</h2>
          <Button kind="quiet" label="Close" onClick={onClose}>
            ✕
          </Button>
        </header>
        {children}
      </div>
    </dialog>
  );
}

/** What the keyboard begins at. Without one, it is at the closing button. */
const firstField = ['input', 'select', 'textarea', '.actions button']
  .map((each) => `${each}:not(:disabled)`)
  .join(', ');

interface ConfirmProps {
  readonly title: string;
  /** What happens. */
  readonly children: ComponentChildren;
  /** The word of the button: `Retry 12 messages`. */
  readonly action: string;
  readonly isDangerous?: boolean;
  readonly disabled?: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

export function Confirm(props: ConfirmProps) {
  const { title, children, action, isDangerous = false, disabled = false, onConfirm, onClose } = props;
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <div class="actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind={isDangerous ? 'danger' : 'primary'} disabled={disabled} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
