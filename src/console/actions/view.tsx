/** Actions: a form for each operation of operators, and its outcome. */
import { useState } from 'preact/hooks';
import { RequestForm } from '../form/request-form.tsx';
import type { DraftObject } from '../form/types.tsx';
import { type Answer, type ApiError, itemsOf, read, send, toApiError } from '../page/api.ts';
import {
  Badge,
  Button,
  Confirm,
  Empty,
  ErrorBox,
  Loading,
  Page,
  Preformatted,
  Section,
  SelectField,
  Text,
  type ViewProps,
} from '../page/components/index.ts';
import { Link, navigate, useRoute } from '../page/routing.tsx';
import { useRead } from '../page/use-query.ts';
import type { listActions } from './contract.ts';

type Action = Answer<typeof listActions>['actions'][number];

export default function ActionsView({ mayAct }: ViewProps) {
  const { rest } = useRoute();
  const { value, error, reload } = useRead<typeof listActions>('/actions');
  const actions = itemsOf(value?.actions);
  const found = rest[0] === undefined ? actions[0] : actions.find(({ name }) => name === rest[0]);
  const inSubject = actions.filter(({ subject }) => subject === found?.subject);
  const open = (name: string | undefined): void => navigate(`/actions/${name}`);
  return (
    <Page title="Actions" lead="Everything that the commands can do, as forms.">
      <ErrorBox error={error} onRetry={reload} />
      {value === undefined && error === undefined && <Loading />}
      {value !== undefined && found === undefined && <Empty title="There is no such action." />}
      {found !== undefined && (
        <>
          <div class="filters">
            <SelectField
              label="Subject"
              value={found.subject}
              options={[...new Set(actions.map(({ subject }) => subject))]}
              onChange={(subject) => open(actions.find((each) => each.subject === subject)?.name)}
            />
            <SelectField
              label="Action"
              value={found.name}
              options={inSubject.map(({ name }) => name)}
              onChange={open}
            />
          </div>
          <ActionForm key={found.name} action={found} mayAct={mayAct} />
        </>
      )}
      <p class="hint">
        Actions on files of this machine are commands alone: backups, imports and key files.{' '}
        <Link to="/state">State</Link> shows the rest.
      </p>
    </Page>
  );
}

interface ActionFormProps {
  readonly action: Action;
  readonly mayAct: boolean;
}

function ActionForm({ action, mayAct }: ActionFormProps) {
  const { doc, effect, fields, minimal } = action;
  const [draft, setDraft] = useState(() => emptied(JSON.parse(minimal) as DraftObject));
  const [isAsking, setAsking] = useState(false);
  const [isRunning, setRunning] = useState(false);
  const [outcome, setOutcome] = useState<{ readonly text?: string; readonly error?: ApiError }>({});
  const run = async (): Promise<void> => {
    setAsking(false);
    setRunning(true);
    setOutcome(
      await perform(action, draft).then(
        (answer) => ({ text: JSON.stringify(answer, null, 2) }),
        (thrown: unknown) => ({ error: toApiError(thrown) }),
      ),
    );
    setRunning(false);
  };
  const issues = new Map(
    (outcome.error?.invalidFields ?? []).map(({ name, message }) => [name.replaceAll('.', '/'), message] as const),
  );
  const isAllowed = mayAct || effect === 'reads';
  return (
    <>
      <p class="lead">
        <Text value={doc} /> <Badge>{effect}</Badge>
      </p>
      <Section title="Form">
        <RequestForm fields={itemsOf(fields)} draft={draft} issues={issues} onChange={setDraft} />
        <div class="actions">
          <Button
            kind={effect === 'writes' ? 'danger' : 'primary'}
            disabled={isRunning || !isAllowed}
            onClick={() => (effect === 'writes' ? setAsking(true) : void run())}
          >
            Run
          </Button>
        </div>
        {!isAllowed && <p class="hint">Your credential reads, and does not act.</p>}
      </Section>
      <ErrorBox error={outcome.error} />
      {outcome.text !== undefined && (
        <Section title="Outcome">
          <Preformatted label="Outcome" value={outcome.text} />
        </Section>
      )}
      {isAsking && (
        <Confirm
          title={action.name}
          action="Run"
          isDangerous
          onClose={() => setAsking(false)}
          onConfirm={() => void run()}
        >
          <p>
            <Text value={doc} />
          </p>
        </Confirm>
      )}
    </>
  );
}

/** Required fields without their examples: an example must not be done by mistake. */
function emptied(draft: DraftObject): DraftObject {
  return Object.fromEntries(
    Object.entries(draft).map(([name, value]) => [name, typeof value === 'string' ? '' : value]),
  );
}

function perform({ method, path, fields }: Action, draft: DraftObject): Promise<unknown> {
  const left = { ...draft };
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const { [name]: value = '' } = left;
    delete (left as Record<string, unknown>)[name];
    return encodeURIComponent(String(value));
  });
  const given = Object.entries(left).filter(([, value]) => value !== '');
  if (method === 'POST') return send(filled, Object.fromEntries(given));
  const names = new Set(itemsOf(fields).map((each) => each.path));
  return read(
    filled,
    Object.fromEntries(given.flatMap(([name, value]) => (names.has(name) ? [[name, String(value)]] : []))),
  );
}
