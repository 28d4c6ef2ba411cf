/** Fields of forms: a label, a control, a hint and what is wrong with the value. */
import { type ComponentChildren, createElement, type TargetedEvent } from 'preact';
import { useId, useState } from 'preact/hooks';
import { Button } from './button.tsx';

interface FieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  readonly required?: boolean;
}

interface FrameProps extends FieldProps {
  readonly id: string;
  readonly children: ComponentChildren;
}

function Frame({ id, label, hint, error, required, children }: FrameProps) {
  return (
    <div class={error === undefined ? 'field' : 'field invalid'}>
      <label for={id}>
        {label}
        {required && <span class="required"> required</span>}
      </label>
      {children}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p class="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

function describedBy(id: string, { hint, error }: FieldProps): string | undefined {
  const ids = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`].filter(Boolean).join(' ');
  return ids === '' ? undefined : ids;
}

interface TextFieldProps extends FieldProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly type?: 'text' | 'password' | 'search' | 'date' | 'time' | 'datetime-local';
  readonly name?: string;
  readonly autocomplete?: 'off' | 'username' | 'current-password' | 'one-time-code';
  readonly placeholder?: string;
  readonly monospace?: boolean;
  /** Suggestions while typing, for a text. */
  readonly options?: readonly string[];
}

export function TextField(props: TextFieldProps) {
  const { value, onInput, type = 'text', name, autocomplete = 'off', placeholder, monospace, options } = props;
  const id = useId();
  const attributes = {
    id,
    type,
    list: options && `${id}-options`,
    name,
    value,
    placeholder,
    class: monospace ? 'monospace' : undefined,
    autocomplete,
    spellcheck: false,
    required: props.required,
    'aria-invalid': props.error !== undefined,
    'aria-describedby': describedBy(id, props),
    onInput: (event: TargetedEvent<HTMLInputElement>) => onInput(event.currentTarget.value),
  };
  return (
    <Frame id={id} {...props}>
      {
        // In JSX, each type of input has attributes of its own.
        createElement('input', attributes)
      }
      {options !== undefined && (
        <datalist id={`${id}-options`}>
          {options.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </Frame>
  );
}

interface SelectFieldProps extends FieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** The text of a first option without a value. */
  readonly none?: string;
  /** Texts, or values with their texts. */
  readonly options: readonly (string | { readonly value: string; readonly text: string })[];
}

export function SelectField(props: SelectFieldProps) {
  const { value, onChange, none, options } = props;
  const id = useId();
  const all = none === undefined ? options : [{ value: '', text: none }, ...options];
  return (
    <Frame id={id} {...props}>
      <select
        id={id}
        value={value}
        aria-invalid={props.error !== undefined}
        aria-describedby={describedBy(id, props)}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {all.map((each) => {
          const option = typeof each === 'string' ? { value: each, text: each } : each;
          return (
            <option key={option.value} value={option.value}>
              {option.text}
            </option>
          );
        })}
      </select>
    </Frame>
  );
}

interface ManyFieldProps extends FieldProps {
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
  /** Values with their texts. */
  readonly options: readonly { readonly value: string; readonly text: string }[];
}

/** Several values of a list: one is added by a choice, and removed by its button. */
export function ManyField({ chosen, onChange, options, ...field }: ManyFieldProps) {
  const textOf = (value: string): string => options.find((each) => each.value === value)?.text ?? value;
  const add = (value: string): void => onChange(value === '' ? chosen : [...chosen, value]);
  return (
    <>
      <SelectField
        {...field}
        value=""
        onChange={add}
        none={chosen.length === 0 ? 'any' : 'add another'}
        options={options.filter(({ value }) => !chosen.includes(value))}
      />
      {chosen.length > 0 && (
        <div class="row">
          {chosen.map((each) => (
            <Button
              key={each}
              label={`Remove ${textOf(each)}`}
              onClick={() => onChange(chosen.filter((other) => other !== each))}
            >
              {textOf(each)} ✕
            </Button>
          ))}
        </div>
      )}
    </>
  );
}

interface CheckFieldProps {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly hint?: string;
}

export function CheckField({ label, checked, onChange, hint }: CheckFieldProps) {
  const id = useId();
  return (
    <div class="check">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        aria-describedby={hint && `${id}-hint`}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

interface FormProps {
  readonly class?: string;
  readonly label?: string;
  /** Absent where changes of the fields have an effect at once. */
  readonly onSubmit?: () => void;
  readonly children: ComponentChildren;
}

export function Form({ class: className = 'stack', label, onSubmit, children }: FormProps) {
  const submit = (event: Event): void => {
    event.preventDefault();
    onSubmit?.();
  };
  return (
    <form class={className} aria-label={label} onSubmit={submit}>
      {children}
    </form>
  );
}

/** The properties of fields by the name of their text. */
interface Texts<N extends string> {
  readonly values: Readonly<Record<N, string>>;
  text(name: N): Pick<TextFieldProps, 'value' | 'onInput'>;
  choice(name: N): Pick<SelectFieldProps, 'value' | 'onChange'>;
}

/** Holds the texts of several fields. */
export function useTexts<N extends string>(initial: Readonly<Record<N, string>>): Texts<N> {
  const [values, setValues] = useState(initial);
  const set = (name: N) => (value: string) => setValues((before) => ({ ...before, [name]: value }));
  return {
    values,
    text: (name) => ({ value: values[name], onInput: set(name) }),
    choice: (name) => ({ value: values[name], onChange: set(name) }),
  };
}

/** Filters above a table, in a row that wraps. */
export function Filters({ children }: { readonly children: ComponentChildren }) {
  return (
    <search aria-label="Filters">
      <Form class="filters">{children}</Form>
    </search>
  );
}
