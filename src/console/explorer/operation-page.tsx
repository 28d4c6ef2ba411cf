/** One operation: its form and the request in all formats, the answer, and programs. */
import { useCallback, useState } from 'preact/hooks';
import { Changes } from '../converter/changes.tsx';
import { RequestForm } from '../form/request-form.tsx';
import type { DraftObject } from '../form/types.tsx';
import { pathOf } from '../page/api.ts';
import {
  Badge,
  Button,
  CodeEditor,
  CopyButton,
  ErrorBox,
  Section,
  Tabs,
  Text,
  type ViewProps,
} from '../page/components/index.ts';
import { type Format, formatTitles } from '../page/formats.ts';
import { Link, navigate } from '../page/routing.tsx';
import { useDocuments } from '../page/use-documents.ts';
import { SendPanel, type SentAnswer } from '../sender/send-panel.tsx';
import { Programs } from './programs.tsx';
import type { Described, Operations } from './types.tsx';
import { carry, type EditableRequest, marksOf, useRequest } from './use-request.tsx';

interface OperationPageProps {
  readonly described: Described;
  readonly demoCredentials: Operations['demoCredentials'];
  readonly mayAct: boolean;
  readonly gateway: ViewProps['gateway'];
}

export function operationPath({
  service,
  version,
  operation,
}: Pick<Described, 'service' | 'version' | 'operation'>): string {
  return pathOf`/explorer/${service}/${String(version)}/${operation}`;
}

/** Remembered from one operation to the next. */
let lastFormat: Format | undefined;

export function OperationPage({ described, demoCredentials, mayAct, gateway }: OperationPageProps) {
  const { forwardsCredentials } = gateway;
  // Services of one's own are described by their contract alone.
  const subject = `${described.service}.${described.operation}`;
  const reference = useDocuments(gateway).value?.find(({ describes }) => describes === subject);
  const { formats, doc, effect, role } = described;
  const request = useRequest(
    described,
    useCallback((found, text) => {
      const { service = '', version = 0, operation = '' } = found;
      carry(text);
      navigate(operationPath({ service, version, operation }));
    }, []),
  );
  const [format, choose] = useFormat(formats, request.source);
  const [refused, setRefused] = useState<SentAnswer['refused']>();
  const messageIn = (wanted: Format) => request.messages.find((each) => each.format === wanted);
  const textIn = (wanted: Format): string | undefined =>
    request.source === wanted ? request.sourceText : messageIn(wanted)?.text;
  /** Undefined, too, where the messages are of an edit before. */
  const sentIn = (wanted: Format): string | undefined =>
    request.error !== undefined && request.source !== wanted ? undefined : textIn(wanted);
  const message = messageIn(format);
  const isSource = request.source === format;
  const marks = isSource ? request.sourceMarks : marksOf(message?.issues);
  const edit = (draft: DraftObject): void => {
    setRefused(undefined);
    request.editDraft(draft);
  };
  const issues = new Map([
    ...(refused ?? []).map(({ field, message: text }) => [field, text] as const),
    ...request.issues,
  ]);
  return (
    <>
      <p class="lead">
        <Text value={doc} /> <Badge>{effect}</Badge> <span class="hint">Role: {role}</span>{' '}
        {reference !== undefined && <Link to={`/docs/${reference.name}`}>Reference of each field</Link>}
      </p>
      <ErrorBox error={request.error} onRetry={request.retry} />
      <div class="explorer">
        <FormSection described={described} draft={request.draft} issues={issues} onEdit={edit} />
        <div>
          <Section title="Request" actions={<CopyButton text={() => textIn(format) ?? ''} label="Copy request" />}>
            <Tabs
              label="Formats of the request"
              tabs={formats.map((each) => ({ name: each, title: formatTitles[each] }))}
              selected={format}
              onSelect={choose}
            >
              {message !== undefined && format !== 'rest' && (
                <p class="hint">
                  <code>
                    {message.method} <Text value={message.path ?? ''} max={300} />
                  </code>{' '}
                  {message.contentType}
                </p>
              )}
              <CodeEditor
                key={format}
                label={`The request in ${formatTitles[format]}`}
                value={textIn(format) ?? ''}
                marks={marks}
                rows={12}
                indented={isSource ? request.indented : undefined}
                onInput={(text) => {
                  setRefused(undefined);
                  request.editText(format, text);
                }}
              />
              <p class="status-line" role="status">
                {statusOf(request)}
              </p>
            </Tabs>
            <Changes changes={request.changes} />
          </Section>
          <SendPanel
            described={described}
            demoCredentials={demoCredentials}
            mayAct={mayAct}
            forwardsCredentials={forwardsCredentials}
            textIn={sentIn}
            isPending={request.isPending}
            format={format}
            onRefused={setRefused}
          />
          <Programs
            described={described}
            draft={request.draft}
            format={format}
            forwardsCredentials={forwardsCredentials}
          />
        </div>
      </div>
    </>
  );
}

/** The format that is shown: the chosen one, or the one before, where the operation has it. */
function useFormat(
  formats: readonly Format[],
  source: EditableRequest['source'],
): readonly [Format, (name: string) => void] {
  const preferred = source === 'fields' ? lastFormat : source;
  const [chosen, setChosen] = useState<Format>();
  const format =
    [chosen, preferred, 'json' as const].find((each) => each !== undefined && formats.includes(each)) ?? formats[0]!;
  const choose = (name: string): void => {
    const found = formats.find((each) => each === name);
    lastFormat = found;
    setChosen(found);
  };
  return [format, choose];
}

interface FormSectionProps {
  readonly described: Described;
  readonly draft: DraftObject;
  readonly issues: ReadonlyMap<string, string>;
  readonly onEdit: (draft: DraftObject) => void;
}

function FormSection({ described, draft, issues, onEdit }: FormSectionProps) {
  const { minimal, full, rules = [] } = described;
  return (
    <Section
      title="Form"
      actions={
        <>
          <Button onClick={() => onEdit(JSON.parse(minimal) as DraftObject)}>Required fields</Button>
          <Button onClick={() => onEdit(JSON.parse(full) as DraftObject)}>All fields</Button>
        </>
      }
    >
      {rules.map((rule) => (
        <p class="hint" key={rule}>
          {rule}
        </p>
      ))}
      <RequestForm fields={described.fields} draft={draft} issues={issues} onChange={onEdit} />
    </Section>
  );
}

function statusOf({ isPending, error, fault, issues: { size: issues } }: EditableRequest): string {
  if (isPending) return 'Reading…';
  if (error !== undefined) return 'The last edit was not read: the other formats show the edit before.';
  if (fault !== undefined) return `${fault} The form and the other formats show what was read before.`;
  if (issues === 0) return 'Valid in every format.';
  return issues === 1 ? '1 field is wrong.' : `${issues} fields are wrong.`;
}
