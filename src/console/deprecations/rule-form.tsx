/** The form of a deprecation. Before it is saved, the server lists the callers that it affects. */
import { useState } from 'preact/hooks';
import type { listDeprecations, previewDeprecation } from '../../operators/index.ts';
import { callOf } from '../callers/call-of.tsx';
import type { listExplorerOperations } from '../explorer/contract.ts';
import { type Answer, itemsOf, send } from '../page/api.ts';
import {
  Button,
  CheckField,
  Dialog,
  ErrorBox,
  ManyField,
  Notice,
  Table,
  Text,
  TextField,
  useCredentialColumn,
} from '../page/components/index.ts';
import { type Format, formatTitle, formatTitles } from '../page/formats.ts';
import { useAction } from '../page/use-action.ts';
import { useNames } from '../page/use-names.ts';
import { useRead } from '../page/use-query.ts';
import { BrownOutFields } from './brown-out-fields.tsx';

type Rule = Answer<typeof listDeprecations>['deprecations'][number]['rule'];
type Preview = Answer<typeof previewDeprecation>;

interface RuleFormProps {
  readonly before?: Rule;
  readonly onSave: (rule: object) => void;
  readonly onClose: () => void;
}

export function RuleForm({ before, onSave, onClose }: RuleFormProps) {
  const [fields, setFields] = useState(() => fieldsOf(before));
  const [preview, setPreview] = useState<Preview>();
  const action = useAction();
  const names = useNames();
  const listed = useRead<typeof listExplorerOperations>('/explorer/operations');
  const operations = itemsOf(listed.value?.operations);
  const set =
    <N extends keyof Fields>(name: N) =>
    (value: Fields[N]): void => {
      setFields({ ...fields, [name]: value });
      // What was confirmed is no longer what would be saved.
      setPreview(undefined);
    };
  const check = (): void =>
    action.run(async () => {
      setPreview(await send<typeof previewDeprecation>('/callers/preview', { rule: ruleOf(fields) }));
      return '';
    });
  const text = (name: 'deprecatedSince' | 'sunset' | 'link') => ({ value: fields[name], onInput: set(name) });
  const many = (name: 'service' | 'operation' | 'version' | 'credential', values: readonly (string | number)[]) => ({
    chosen: fields[name],
    onChange: set(name),
    options: [...new Set(values.map(String))].map((value) => ({ value, text: names?.nameOf(value) ?? value })),
  });
  const chosen = operations.filter(({ service }) => fields.service.length === 0 || fields.service.includes(service));
  const faults = preview?.faults ?? [];
  return (
    <Dialog title={before === undefined ? 'Deprecate calls' : 'Change the deprecation'} place="side" onClose={onClose}>
      <p class="hint">Calls that have one of the chosen values in each field.</p>
      <FormatFields chosen={fields.format} onChange={set('format')} />
      <ManyField
        label="Services"
        {...many(
          'service',
          operations.map(({ service }) => service),
        )}
      />
      <ManyField
        label="Operations"
        {...many(
          'operation',
          chosen.map(({ operation }) => operation),
        )}
      />
      <ManyField label="Versions" {...many('version', chosen.flatMap(versionsOf))} />
      <ManyField label="Credentials" {...many('credential', [...(names?.byId.keys() ?? [])])} />
      <TextField
        label="Deprecated since"
        type={typeOfDate(fields.deprecatedSince)}
        {...text('deprecatedSince')}
        required
      />
      <TextField label="Sunset" type={typeOfDate(fields.sunset)} {...text('sunset')} />
      <CheckField
        label="Refuse after the sunset"
        checked={fields.refuseAfterSunset}
        onChange={set('refuseAfterSunset')}
      />
      <TextField label="Link" {...text('link')} placeholder="https://api.example.com/end-of-soap" />
      <BrownOutFields brownOuts={fields.brownOuts} onChange={set('brownOuts')} />
      <ErrorBox error={action.error} />
      {faults.length > 0 && (
        <Notice tone="warning">
          <ul>
            {faults.map((fault) => (
              <li key={fault}>
                <Text value={fault} />
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {preview !== undefined && faults.length === 0 && <Affected preview={preview} />}
      <div class="actions">
        <Button onClick={onClose}>Cancel</Button>
        {preview === undefined || faults.length > 0 ? (
          <Button kind="primary" onClick={check}>
            Show affected callers
          </Button>
        ) : (
          <Button kind="danger" onClick={() => onSave(ruleOf(fields))}>
            Save: servers apply it now
          </Button>
        )}
      </div>
    </Dialog>
  );
}

function Affected({ preview }: { readonly preview: Preview }) {
  const credential = useCredentialColumn();
  return (
    <>
      <Notice tone={preview.credentials > 0 ? 'warning' : 'good'}>
        In the last 30 days it would have affected {preview.credentials} credentials with {preview.requests} requests.
      </Notice>
      <Table
        caption="Affected callers"
        columns={[
          credential,
          { name: 'Call', cell: (each) => <Text value={`${callOf(each)} in ${formatTitle(each.format)}`} /> },
          { name: 'Requests', cell: ({ requests }) => requests, align: 'end', narrow: true },
          { name: 'Exempt', cell: ({ isExempt }) => (isExempt ? 'yes' : 'no'), narrow: true },
        ]}
        rows={preview.callers ?? []}
        keyOf={({ id }) => id}
        empty="No caller."
      />
    </>
  );
}

const formats = Object.keys(formatTitles) as Format[];

interface FormatFieldsProps {
  readonly chosen: readonly string[];
  readonly onChange: (names: readonly string[]) => void;
}

function FormatFields({ chosen, onChange }: FormatFieldsProps) {
  return (
    <fieldset class="choices">
      <legend>Formats</legend>
      {formats.map((name) => (
        <CheckField
          key={name}
          label={formatTitle(name)}
          checked={chosen.includes(name)}
          onChange={(checked) => onChange(formats.filter((each) => (each === name ? checked : chosen.includes(each))))}
        />
      ))}
    </fieldset>
  );
}

/** The versions of an operation, newest first. */
function versionsOf({ from, to }: { readonly from: number; readonly to: number }): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => to - at);
}

/** A moment, as the configuration may have one, is no day. */
function typeOfDate(text: string): 'date' | 'text' {
  return /^(\d{4,6}-\d\d-\d\d)?$/.test(text) ? 'date' : 'text';
}

function fieldsOf(before: Rule | undefined) {
  return {
    format: itemsOf(before?.format),
    service: itemsOf(before?.service),
    operation: itemsOf(before?.operation),
    version: itemsOf(before?.version).map(String),
    credential: itemsOf(before?.credential),
    deprecatedSince: before?.deprecatedSince ?? new Date().toISOString().slice(0, 10),
    sunset: before?.sunset ?? '',
    refuseAfterSunset: before?.refuseAfterSunset ?? false,
    link: before?.link ?? '',
    brownOuts: itemsOf(before?.brownOuts),
  };
}

type Fields = ReturnType<typeof fieldsOf>;

/** The members that are filled in. */
function ruleOf({ version, ...fields }: Fields): object {
  const isFilled = (value: unknown): boolean =>
    value !== '' && value !== false && !(Array.isArray(value) && value.length === 0);
  const filled = Object.entries({ ...fields, version: version.map(Number) }).filter(([, value]) => isFilled(value));
  return Object.fromEntries(filled);
}
