/** The form of a request, generated from the contract of its operation. */
import { type ComponentChildren, Fragment, type Ref } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button, CheckField, Form, SelectField, Text, TextField } from '../page/components/index.ts';
import { isList, isObject, withMember } from './draft.tsx';
import type { Draft, DraftObject, FormField } from './types.tsx';

interface RequestFormProps {
  readonly fields: readonly FormField[];
  readonly draft: DraftObject;
  readonly issues: ReadonlyMap<string, string>;
  readonly onChange: (draft: DraftObject) => void;
}

export function RequestForm({ fields, draft, issues, onChange }: RequestFormProps) {
  const rest = issues.get('');
  return (
    <Form label="Fields">
      <Wrong text={rest} />
      {fields.length === 0 && <p class="hint">This operation has no fields.</p>}
      <Members shape={{ fields, issues }} schemaPath="" path="" draft={draft} onChange={onChange} />
    </Form>
  );
}

/** What is wrong with a part of the request. */
function Wrong({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p class="error">
      <Text value={text} />
    </p>
  );
}

interface Shape {
  readonly fields: readonly FormField[];
  readonly issues: ReadonlyMap<string, string>;
}

interface PartProps<D extends Draft | undefined> {
  readonly shape: Shape;
  /** Items and entries are asterisks in it. */
  readonly schemaPath: string;
  /** Items and entries are their indices and keys in it. */
  readonly path: string;
  readonly draft: D;
}

/** The fields directly below a path. */
function below({ fields }: Shape, path: string): readonly FormField[] {
  const prefix = path === '' ? '' : `${path}/`;
  return fields.filter((field) => field.path.startsWith(prefix) && !field.path.slice(prefix.length).includes('/'));
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}/${name}`;
}

function nameOf({ path }: FormField): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function Members({
  shape,
  schemaPath,
  path,
  draft,
  onChange,
}: PartProps<DraftObject> & { readonly onChange: (draft: DraftObject) => void }) {
  const known = below(shape, schemaPath);
  const names = new Set(known.map(nameOf));
  const unknown = Object.keys(draft).filter((name) => !names.has(name));
  // A field stays where it was at first, so that it keeps the focus while it is edited.
  const [first] = useState(
    () =>
      new Set(
        known.filter((field) => field.required || Object.hasOwn(draft, nameOf(field))).map((field) => field.path),
      ),
  );
  const others = known.filter((field) => !first.has(field.path));
  const part = (field: FormField) => (
    <Part
      key={field.path}
      shape={shape}
      field={field}
      name={nameOf(field)}
      path={join(path, nameOf(field))}
      draft={Object.hasOwn(draft, nameOf(field)) ? draft[nameOf(field)] : undefined}
      onChange={(value) => onChange(withMember(draft, nameOf(field), value))}
    />
  );
  return (
    <>
      {known.filter(({ path: each }) => first.has(each)).map(part)}
      {others.length > 0 && (
        <details
          open={(path === '' && first.size === 0) || others.some((field) => Object.hasOwn(draft, nameOf(field)))}
        >
          <summary>
            {others.length} optional {others.length === 1 ? 'field' : 'fields'}
          </summary>
          <div class="stack">{others.map(part)}</div>
        </details>
      )}
      {unknown.map((name) => (
        <div class="field invalid" key={name}>
          <p>
            <code>
              <Text value={name} max={60} />
            </code>
            : <Text value={textOf(draft[name]!)} max={200} />
          </p>
          <p class="error">The contract has no such field.</p>
          <Button
            kind="quiet"
            label={`Remove ${name.slice(0, 60)}`}
            onClick={() => onChange(withMember(draft, name, undefined))}
          >
            Remove
          </Button>
        </div>
      ))}
    </>
  );
}

interface FieldPartProps {
  readonly shape: Shape;
  readonly field: FormField;
  readonly name: string;
  readonly path: string;
  readonly draft: Draft | undefined;
  readonly onChange: (draft: Draft | undefined) => void;
}

function Part(props: FieldPartProps) {
  switch (props.field.kind) {
    case 'object':
      return <ObjectPart {...props} />;
    case 'list':
      return <ListPart {...props} />;
    case 'map':
      return <MapPart {...props} />;
    default:
      return <ScalarPart {...props} />;
  }
}

function ScalarPart({ shape, field, name, path, draft, onChange }: FieldPartProps) {
  const { kind, required, doc, hint, example, values = [], sensitive, location } = field;
  const text = draft === undefined ? '' : textOf(draft);
  const place = location === 'body' ? '' : ` In the ${location}.`;
  const common = {
    label: name,
    required,
    hint: [doc, hint].filter(Boolean).join(' ') + place,
    error: shape.issues.get(path),
  };
  const change = (value: string): void => onChange(value === '' ? undefined : value);
  if (kind === 'set') return <SetPart {...{ field, name, text, error: common.error }} onChange={change} />;
  if ((kind === 'enum' || kind === 'boolean') && values.length <= 300) {
    const known = kind === 'boolean' ? ['true', 'false'] : values;
    // A value that the contract does not have stays visible.
    const options = text === '' || known.includes(text) ? known : [...known, text];
    return <SelectField {...common} value={text} none="(none)" options={options} onChange={change} />;
  }
  return (
    <TextField
      {...common}
      value={text}
      monospace
      {...(!sensitive && example !== undefined && example.length <= 80 && { placeholder: example })}
      onInput={change}
    />
  );
}

interface FieldGroupProps {
  readonly field: FormField;
  readonly name: string;
  readonly error: string | undefined;
  readonly element?: Ref<HTMLFieldSetElement>;
  readonly children: ComponentChildren;
}

/** Controls that belong to one field. */
function FieldGroup({ field, name, error, element = null, children }: FieldGroupProps) {
  return (
    <fieldset ref={element} class={error === undefined ? 'group stack' : 'group stack invalid'}>
      <legend>
        {name}
        {field.required && <span class="required"> required</span>}
      </legend>
      {field.doc !== '' && <p class="hint">{field.doc}</p>}
      <Wrong text={error} />
      {children}
    </fieldset>
  );
}

interface SetPartProps extends Omit<FieldGroupProps, 'children'> {
  readonly text: string;
  readonly onChange: (text: string) => void;
}

/** A set: a text with commas between its values. */
function SetPart({ field, name, text, error, onChange }: SetPartProps) {
  const chosen = text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  const toggle = (value: string, isChosen: boolean): void =>
    onChange((isChosen ? [...chosen, value] : chosen.filter((each) => each !== value)).join(','));
  const values = field.values ?? [];
  const strange = chosen.filter((each) => !values.includes(each));
  return (
    <FieldGroup field={field} name={name} error={error}>
      <div class="row">
        {[...values, ...strange].map((value) => (
          <CheckField
            key={value}
            label={value}
            checked={chosen.includes(value)}
            onChange={(isChosen) => toggle(value, isChosen)}
          />
        ))}
      </div>
    </FieldGroup>
  );
}

interface GroupProps extends FieldPartProps {
  readonly children: ComponentChildren;
  readonly add?: ComponentChildren;
}

/** An object, a list or a map, with a way to add it where it is not there, and to remove it. */
function Group({ shape, field, name, path, draft, onChange, children, add }: GroupProps) {
  const error = shape.issues.get(path);
  const element = useRef<HTMLFieldSetElement>(null);
  const isThere = draft !== undefined;
  const wasThere = useRef(isThere);
  useEffect(() => {
    // The button that added or removed it is gone: the keyboard goes on in the group.
    if (wasThere.current !== isThere && document.activeElement === document.body)
      element.current?.querySelector<HTMLElement>('input, select, button')?.focus();
    wasThere.current = isThere;
  }, [isThere]);
  return (
    <FieldGroup field={field} name={name} error={error} element={element}>
      {children}
      <div class="row">
        {add}
        {draft !== undefined && (
          <Button kind="quiet" label={`Remove ${name}`} onClick={() => onChange(undefined)}>
            Remove
          </Button>
        )}
      </div>
    </FieldGroup>
  );
}

function ObjectPart(props: FieldPartProps) {
  const { shape, field, name, path, draft, onChange } = props;
  const add = draft === undefined && (
    <Button label={`Add ${name}`} onClick={() => onChange({})}>
      Add
    </Button>
  );
  return (
    <Group {...props} add={add}>
      {isObject(draft) && (
        <Members shape={shape} schemaPath={field.path} path={path} draft={draft} onChange={onChange} />
      )}
      {draft !== undefined && !isObject(draft) && <Raw draft={draft} />}
    </Group>
  );
}

/** A text where the contract has an object. */
function Raw({ draft }: { readonly draft: Draft }) {
  return (
    <p>
      <code>
        <Text value={textOf(draft)} max={200} />
      </code>
    </p>
  );
}

function ListPart(props: FieldPartProps) {
  const { shape, field, name, path, draft, onChange } = props;
  const [item] = below(shape, field.path);
  const items = isList(draft) ? draft : [];
  const put = (at: number, value: Draft | undefined): void =>
    onChange(value === undefined ? items.filter((_, each) => each !== at) : items.with(at, value));
  const add = (
    <Button
      label={`Add an item to ${name}`}
      onClick={() => onChange([...items, item?.kind === 'object' ? {} : (item?.example ?? '')])}
    >
      Add an item
    </Button>
  );
  return (
    <Group {...props} add={add}>
      {item !== undefined &&
        items.map((each, at) => (
          <Fragment key={at}>
            <Part
              shape={shape}
              field={item}
              name={`${name} ${at}`}
              path={`${path}/${at}`}
              draft={each}
              onChange={(value) => put(at, value ?? emptied(item))}
            />
            {!isGroup(item) && (
              <Button kind="quiet" label={`Remove ${name} ${at}`} onClick={() => put(at, undefined)}>
                Remove
              </Button>
            )}
          </Fragment>
        ))}
      {draft !== undefined && !isList(draft) && <Raw draft={draft} />}
    </Group>
  );
}

function MapPart(props: FieldPartProps) {
  const { shape, field, name, path, draft, onChange } = props;
  const [item] = below(shape, field.path);
  // An object has its numbers first: an entry stays where it was at first, so that it keeps the focus while it is edited.
  const order = useRef<readonly string[]>([]);
  const members = isObject(draft) ? draft : {};
  const added = Object.keys(members).filter((key) => !order.current.includes(key));
  order.current = [...order.current.filter((key) => Object.hasOwn(members, key)), ...added];
  const entries = order.current.map((key) => [key, members[key]!] as const);
  const put = (at: number, key: string, value: Draft | undefined): void => {
    order.current = order.current.with(at, key);
    onChange(
      Object.fromEntries(
        entries.flatMap((each, index) => (index !== at ? [each] : value === undefined ? [] : [[key, value]])),
      ),
    );
  };
  const add = (
    <Button
      label={`Add an entry to ${name}`}
      onClick={() => onChange(Object.fromEntries([...entries, [freeKey(entries), item?.kind === 'object' ? {} : '']]))}
    >
      Add an entry
    </Button>
  );
  return (
    <Group {...props} add={add}>
      {item !== undefined &&
        entries.map(([key, each], at) => (
          <div class="entry" key={at}>
            <KeyField
              label={`${name} key ${at + 1}`}
              value={key}
              others={order.current.filter((_, other) => other !== at)}
              onInput={(text) => put(at, text, each)}
            />
            <Part
              shape={shape}
              field={item}
              name={`${name} value ${at + 1}`}
              path={`${path}/${key}`}
              draft={each}
              onChange={(value) => put(at, key, value ?? emptied(item))}
            />
            <Button kind="quiet" label={`Remove entry ${at + 1} of ${name}`} onClick={() => put(at, key, undefined)}>
              Remove
            </Button>
          </div>
        ))}
      {draft !== undefined && !isObject(draft) && <Raw draft={draft} />}
    </Group>
  );
}

interface KeyFieldProps {
  readonly label: string;
  readonly value: string;
  /** The keys of the other entries. */
  readonly others: readonly string[];
  readonly onInput: (key: string) => void;
}

/** The key of an entry. One that another entry has would replace that: it is said, and the entry has its key of before until it is another one. */
function KeyField({ label, value, others, onInput }: KeyFieldProps) {
  const [typed, setTyped] = useState<string>();
  const change = (text: string): void => {
    const isTaken = others.includes(text);
    setTyped(isTaken ? text : undefined);
    if (!isTaken) onInput(text);
  };
  const error = typed === undefined ? undefined : `Another entry has this key: this one is still ${value}.`;
  return <TextField label={label} value={typed ?? value} error={error} monospace onInput={change} />;
}

function isGroup({ kind }: FormField): boolean {
  return kind === 'object' || kind === 'list' || kind === 'map';
}

/** What is left of an item or entry whose field is empty: its button removes it. */
function emptied(item: FormField): Draft | undefined {
  return isGroup(item) ? undefined : '';
}

function freeKey(entries: readonly (readonly [string, Draft])[]): string {
  for (let number = 1; ; number += 1) if (!entries.some(([key]) => key === `key${number}`)) return `key${number}`;
}

function textOf(draft: Draft): string {
  return typeof draft === 'string' ? draft : JSON.stringify(draft);
}
