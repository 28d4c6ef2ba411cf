/** Requests to other servers without an outcome, and their settlement. */
import type { getPendingRequest, listPendingRequests, settlePendingRequest } from '../../operators/index.ts';
import { type Answer, pathOf, send } from '../page/api.ts';
import {
  Badge,
  Button,
  Code,
  type Column,
  Credential,
  Dialog,
  ErrorBox,
  Facts,
  Form,
  LoadedTable,
  Notice,
  Section,
  SelectField,
  Text,
  TextField,
  Time,
  useTexts,
  type ViewProps,
} from '../page/components/index.ts';
import { Link, navigate, useRoute } from '../page/routing.tsx';
import { useAction } from '../page/use-action.ts';
import { useRead } from '../page/use-query.ts';
import { formatJson } from './records.tsx';

type Pending = Answer<typeof listPendingRequests>['requests'][number];

export function PendingSection({ mayAct }: ViewProps) {
  const { rest } = useRoute();
  const query = useRead<typeof listPendingRequests>('/state/pendingRequests', {}, { everyMs: 10_000 });
  const id = rest[1];
  return (
    <Section title="Pending requests">
      <p class="hint">Requests to other servers that have no outcome. An unknown one is settled by an operator.</p>
      <LoadedTable
        query={query}
        caption="Pending requests"
        name="pending"
        columns={columns}
        rows={({ requests }) => requests}
        keyOf={(each) => each.id}
        empty="No request is pending."
        onOpen={(each) => navigate(pathTo(each))}
      />
      {id !== undefined && (
        <PendingDialog
          id={id}
          mayAct={mayAct}
          onClose={() => {
            navigate('/state/pending');
            query.reload();
          }}
        />
      )}
    </Section>
  );
}

function pathTo({ id }: Pending): string {
  return `/state/pending/${encodeURIComponent(id)}`;
}

const columns: readonly Column<Pending>[] = [
  { name: 'Request', cell: (each) => <Link to={pathTo(each)}>{each.id}</Link>, value: ({ id }) => id },
  {
    name: 'State',
    cell: ({ state }) => <Badge tone={state === 'unknown' ? 'bad' : 'warning'}>{state}</Badge>,
    value: ({ state }) => state,
    narrow: true,
  },
  { name: 'Operation', cell: (each) => <code>{operationOf(each)}</code>, value: operationOf },
  { name: 'Upstream', value: ({ upstream }) => upstream },
  { name: 'Tenant', value: ({ tenant }) => tenant },
  {
    name: 'Started',
    cell: ({ startedAt }) => <Time value={startedAt} isRelative />,
    value: ({ startedAt }) => startedAt,
    narrow: true,
  },
];

function operationOf({ service, operation }: Pending): string {
  return `${service}.${operation}`;
}

interface PendingDialogProps extends Pick<ViewProps, 'mayAct'> {
  readonly id: string;
  readonly onClose: () => void;
}

function PendingDialog({ id, mayAct, onClose }: PendingDialogProps) {
  const { value, error } = useRead<typeof getPendingRequest>(pathOf`/state/pendingRequests/${id}`);
  return (
    <Dialog title={`Pending request ${id}`} place="side" onClose={onClose}>
      <ErrorBox error={error} />
      {value !== undefined && (
        <div class="stack">
          <Facts
            facts={[
              ['State', value.state],
              ['Operation', <code>{`${value.service}.${value.operation}`}</code>],
              ['Upstream', value.upstream],
              ['Credential', <Credential id={value.credential} />],
              ['Process', <Text value={value.process} />],
              ['Key', value.hasKey ? 'with an Idempotency-Key' : 'without a key: no retry of it can be known'],
              ['Because', <Text value={value.failure ?? 'not known'} />],
            ]}
          />
          <Code label="Input" value={value.input === undefined ? 'too long to be stored' : formatJson(value.input)} />
          {mayAct && value.state !== 'inFlight' && <Settlement id={id} onClose={onClose} />}
          {value.state === 'inFlight' && <Notice>A process may still wait for the answer.</Notice>}
        </div>
      )}
    </Dialog>
  );
}

const results = [
  { value: 'done', text: 'Done: a retry gets the output' },
  { value: 'notDone', text: 'Not done: a retry is executed' },
  { value: 'refused', text: 'Refused: a retry gets the refusal' },
];

function Settlement({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { values, text, choice } = useTexts({ result: 'done', output: '', code: '', message: '' });
  const { result, output, code, message } = values;
  const action = useAction();
  const given = result === 'done' ? { output } : result === 'refused' ? { code, message } : {};
  const filled = Object.fromEntries(Object.entries(given).filter(([, each]) => each !== ''));
  const settle = (): void =>
    action.run(async () => {
      const path = pathOf`/state/pendingRequests/${id}/settle`;
      return (await send<typeof settlePendingRequest>(path, { result, ...filled })).consequence;
    });
  if (action.done !== undefined)
    return (
      <>
        <Notice tone="good">The request is settled. {action.done}</Notice>
        <Button onClick={onClose}>Close</Button>
      </>
    );
  return (
    <Form onSubmit={settle}>
      <h3>Settle: look it up at the other server first</h3>
      <SelectField label="Outcome" {...choice('result')} options={results} />
      {result === 'done' && <TextField label="Output as JSON" {...text('output')} monospace />}
      {result === 'refused' && <TextField label="Error code" {...text('code')} required />}
      {result === 'refused' && <TextField label="Message" {...text('message')} />}
      <ErrorBox error={action.error} />
      <div class="actions">
        <Button kind="danger" type="submit" disabled={action.isRunning}>
          Settle
        </Button>
      </div>
    </Form>
  );
}
