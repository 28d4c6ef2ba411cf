/** The form of a deprecation. Before it is saved, the server lists the callers that it affects. */
import { useState } from 'preact/hooks';
import type { listDeprecations, previewDeprecation } from '../../operators/deprecations/contract.ts';
import { type Answer, send } from '../page/api.ts';
import {
  Button,
  CheckField,
  Dialog,
  ErrorBox,
  Notice,
  Table,
  Text,
  TextField,
  useCredentialColumn,
} from '../page/components/index.ts';
import { type Format, formatTitle, formatTitles } from '../page/formats.ts';
import { useAction } from '../page/use-action.ts';
import { callOf } from './call-of.tsx';

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
  const credential = useCredentialColumn();
  const set = (name: keyof typeof fields) => (text: string | boolean) => {
    setFields({ ...fields, [name]: text });
    // What was confirmed is no longer what would be saved.
    setPreview(undefined);
  };
  const check = (): void =>
    action.run(async () => {
      setPreview(await send<typeof previewDeprecation>('POST', '/callers/preview', { rule: ruleOf(fields) }));
      return '';
    });
  const text = (name: Exclude<keyof typeof fields, 'refuseAfterSunset'>) => ({
    value: fields[name],
    onInput: set(name),
  });
  const faults = preview?.faults ?? [];
  return (
    <Dialog title={before === undefined ? 'Deprecate calls' : 'Change the deprecation'} place="side" onClose={onClose}>
      <p class="hint">Calls that have all of the values given. Several values have commas between them.</p>
      <FormatFields chosen={split(fields.format)} onChange={(names) => set('format')(names.join(', '))} />
      <TextField label="Services" {...text('service')} />
      <TextField label="Operations" {...text('operation')} />
      <TextField label="Versions" {...text('version')} />
      <TextField label="Credentials" {...text('credential')} hint="Ids" />
      <TextField label="Deprecated since" {...text('deprecatedSince')} required />
      <TextField label="Sunset" {...text('sunset')} placeholder="2027-06-30" />
      <CheckField
        label="Refuse after the sunset"
        checked={fields.refuseAfterSunset}
        onChange={set('refuseAfterSunset')}
      />
      <TextField label="Link" {...text('link')} placeholder="https://api.example.com/end-of-soap" />
      <TextField
        label="Brown-outs"
        {...text('brownOuts')}
        hint="tuesday 09:00-09:30 Europe/London, or 2027-03-02T09:00:00Z/2027-03-02T09:15:00Z"
      />
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
      {preview !== undefined && faults.length === 0 && (
        <>
          <Notice tone={preview.credentials > 0 ? 'warning' : 'good'}>
            In the last 30 days it would have affected {preview.credentials} credentials with {preview.requests}{' '}
            requests.
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
      )}
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

function fieldsOf(before: Rule | undefined) {
  const list = (values: readonly (string | number)[] | undefined): string => (values ?? []).join(', ');
  return {
    format: list(before?.format),
    service: list(before?.service),
    operation: list(before?.operation),
    version: list(before?.version),
    credential: list(before?.credential),
    deprecatedSince: before?.deprecatedSince ?? new Date().toISOString().slice(0, 10),
    sunset: before?.sunset ?? '',
    refuseAfterSunset: before?.refuseAfterSunset ?? false,
    link: before?.link ?? '',
    brownOuts: (before?.brownOuts ?? [])
      .map(({ every, from, to, timeZone }) =>
        every === undefined ? `${from}/${to}` : `${every} ${from}-${to} ${timeZone ?? ''}`.trim(),
      )
      .join(', '),
  };
}

type Fields = ReturnType<typeof fieldsOf>;

function ruleOf({
  version,
  brownOuts,
  refuseAfterSunset,
  deprecatedSince,
  sunset,
  link,
  ...selectors
}: Fields): object {
  const lists = Object.entries(selectors).flatMap(([name, text]) =>
    split(text).length === 0 ? [] : [[name, split(text)]],
  );
  return {
    ...Object.fromEntries(lists),
    ...(split(version).length > 0 && { version: split(version).map(Number) }),
    deprecatedSince,
    ...(sunset !== '' && { sunset }),
    ...(refuseAfterSunset && { refuseAfterSunset }),
    ...(link !== '' && { link }),
    ...(split(brownOuts).length > 0 && { brownOuts: split(brownOuts).map(parseBrownOut) }),
  };
}

function split(text: string): string[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

/** The server says what is wrong with its parts. */
function parseBrownOut(text: string): object {
  const [, every, start, end, timeZone] = /^([a-z]+) +([\d:]+) *- *([\d:]+)(?: +(\S+))?$/i.exec(text) ?? [];
  if (every !== undefined)
    return { every: every.toLowerCase(), from: start, to: end, ...(timeZone !== undefined && { timeZone }) };
  const [from = '', to = ''] = text.split('/');
  return { from, to: to || from };
}
