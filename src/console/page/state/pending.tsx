/** Requests to other servers without an outcome, and their settlement. */
import { useState } from 'preact/hooks';
import type { getPendingRequest, listPendingRequests, settlePendingRequest } from '../../state/records.ts';
import { type Answer, itemsOf, pathOf, read, send } from '../api.ts';
import {
  Badge,
  Button,
  type Column,
  Dialog,
  ErrorBox,
  Facts,
  Loading,
  Notice,
  Preformatted,
  Section,
  SelectField,
  Table,
  Text,
  TextField,
  Time,
  type ViewProps,
} from '../components/index.ts';
import { Link, navigate, useRoute } from '../routing.tsx';
import { useAction } from '../use-action.ts';
import { useQuery } from '../use-query.ts';
import { formatJson } from './records.tsx';

type Pending = Answer<typeof listPendingRequests>['requests'][number];

export function PendingSection({ mayAct }: ViewProps) {
  const { rest } = useRoute();
  const { value, error, reload } = useQuery(
    'pending',
    (signal) => read<typeof listPendingRequests>('/state/pendingRequests', {}, signal),
    { everyMs: 10_000 },
  );
  const id = rest[1];
  return (
    <Section title="Pending requests">
      <p class="hint">Requests to other servers that have no outcome. An unknown one is settled by an operator.</p>
      <ErrorBox error={error} onRetry={reload} />
      {value === undefined ? (
        error === undefined && <Loading />
      ) : (
        <Table
          caption="Pending requests"
          columns={columns}
          rows={itemsOf(value.requests)}
          keyOf={(each) => each.id}
          empty="No request is pending."
          onOpen={(each) => navigate(pathTo(each))}
        />
      )}
      {id !== undefined && (
        <PendingDialog
          id={id}
          mayAct={mayAct}
          onClose={() => {
            navigate('/state/pending');
            reload();
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
  { name: 'Request', cell: (each) => <Link to={pathTo(each)}>{each.id}</Link> },
  {
    name: 'State',
    cell: ({ state }) => <Badge tone={state === 'unknown' ? 'bad' : 'warning'}>{state}</Badge>,
    narrow: true,
  },
  { name: 'Operation', cell: ({ service, operation }) => <code>{`${service}.${operation}`}</code> },
  { name: 'Upstream', cell: ({ upstream }) => upstream },
  { name: 'Company', cell: ({ tenant }) => <Text value={tenant} /> },
  { name: 'Started', cell: ({ startedAt }) => <Time value={startedAt} isRelative />, narrow: true },
];

interface PendingDialogProps extends ViewProps {
  readonly id: string;
  readonly onClose: () => void;
}

function PendingDialog({ id, mayAct, onClose }: PendingDialogProps) {
  const { value, error } = useQuery(id, (signal) =>
    read<typeof getPendingRequest>(pathOf`/state/pendingRequests/${id}`, {}, signal),
  );
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
              ['Credential', <code>{value.credential}</code>],
              ['Process', <Text value={value.process} />],
              ['Key', value.hasKey ? 'with an Idempotency-Key' : 'without a key: no retry of it can be known'],
              ['Because', <Text value={value.failure ?? 'not known'} />],
            ]}
          />
          <Preformatted
            label="Input"
            value={value.input === undefined ? 'too long to be stored' : formatJson(value.input)}
          />
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
  const [result, setResult] = useState('done');
  const [output, setOutput] = useState('');
  const [code, setCode] = useState('');
  const [message, setMessage] = useState('');
  const action = useAction();
  const given = result === 'done' ? { output } : result === 'refused' ? { code, message } : {};
  const filled = Object.fromEntries(Object.entries(given).filter(([, text]) => text !== ''));
  const settle = (): void =>
    action.run(async () => {
      const path = pathOf`/state/pendingRequests/${id}/settle`;
      return (await send<typeof settlePendingRequest>('POST', path, { result, ...filled })).consequence;
    });
  if (action.done !== undefined)
    return (
      <>
        <Notice tone="good">The request is settled. {action.done}</Notice>
        <Button onClick={onClose}>Close</Button>
      </>
    );
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        settle();
      }}
    >
      <h3>Settle: look it up at the other server first</h3>
      <SelectField label="What became of it" value={result} onChange={setResult} options={results} />
      {result === 'done' && <TextField label="Output as JSON" value={output} onInput={setOutput} monospace />}
      {result === 'refused' && <TextField label="Error code" value={code} onInput={setCode} required />}
      {result === 'refused' && <TextField label="Message" value={message} onInput={setMessage} />}
      <ErrorBox error={action.error} />
      <div class="actions">
        <Button kind="danger" type="submit" disabled={action.isRunning}>
          Settle
        </Button>
      </div>
    </form>
  );
}
