/** The form of a request, generated from the contract of its operation. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button, SelectField, Text, TextField } from '../components/index.ts';
import { isList, isObject, withMember } from './draft.ts';
import { FieldGroup } from './field-group.tsx';
import { SetPart } from './set-part.tsx';
import type { Draft, DraftObject, FormField } from './types.ts';

export interface RequestFormProps {
  readonly fields: readonly FormField[];
  readonly draft: DraftObject;
  readonly issues: ReadonlyMap<string, string>;
  readonly onChange: (draft: DraftObject) => void;
}

export function RequestForm({ fields, draft, issues, onChange }: RequestFormProps) {
  const rest = issues.get('');
  return (
    <form class="request-form" aria-label="Fields" onSubmit={(event) => event.preventDefault()}>
      {rest !== undefined && (
        <p class="error">
          <Text value={rest} />
        </p>
      )}
      <Members shape={{ fields, issues }} schemaPath="" path="" draft={draft} onChange={onChange} />
    </form>
  );
}

interface Shape {
  readonly fields: readonly FormField[];
  readonly issues: ReadonlyMap<string, string>;
}

interface PartProps<D extends Draft | undefined> {
  readonly shape: Shape;
  /** With asterisks for items and entries. */
  readonly schemaPath: string;
  /** With their indices and keys. */
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
        <details open={others.some((field) => Object.hasOwn(draft, nameOf(field)))}>
          <summary>
            {others.length} optional {others.length === 1 ? 'field' : 'fields'}
          </summary>
          <div class="request-form">{others.map(part)}</div>
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
    const options = [{ value: '', text: '(none)' }, ...known, ...(text === '' || known.includes(text) ? [] : [text])];
    return <SelectField {...common} value={text} options={options} onChange={change} />;
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

interface GroupProps extends FieldPartProps {
  readonly children: preact.ComponentChildren;
  readonly add?: preact.ComponentChildren;
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
    <FieldGroup name={name} isRequired={field.required} isInvalid={error !== undefined} element={element}>
      {field.doc !== '' && <p class="hint">{field.doc}</p>}
      {error !== undefined && (
        <p class="error">
          <Text value={error} />
        </p>
      )}
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
          <Part
            key={at}
            shape={shape}
            field={item}
            name={`${name} ${at}`}
            path={`${path}/${at}`}
            draft={each}
            onChange={(value) => put(at, value)}
          />
        ))}
      {draft !== undefined && !isList(draft) && <Raw draft={draft} />}
    </Group>
  );
}

function MapPart(props: FieldPartProps) {
  const { shape, field, name, path, draft, onChange } = props;
  const [item] = below(shape, field.path);
  const entries = isObject(draft) ? Object.entries(draft) : [];
  const put = (at: number, key: string, value: Draft | undefined): void =>
    onChange(
      Object.fromEntries(
        entries.flatMap((each, index) => (index !== at ? [each] : value === undefined ? [] : [[key, value]])),
      ),
    );
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
            <TextField label={`${name} key ${at + 1}`} value={key} monospace onInput={(text) => put(at, text, each)} />
            <Part
              shape={shape}
              field={item}
              name={`${name} value ${at + 1}`}
              path={`${path}/${key}`}
              draft={each}
              onChange={(value) => put(at, key, value ?? (item.kind === 'object' ? undefined : ''))}
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

function freeKey(entries: readonly (readonly [string, Draft])[]): string {
  for (let number = 1; ; number += 1) if (!entries.some(([key]) => key === `key${number}`)) return `key${number}`;
}

function textOf(draft: Draft): string {
  return typeof draft === 'string' ? draft : JSON.stringify(draft);
}
