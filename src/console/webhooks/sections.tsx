/** Webhooks with their dead letters, and jobs. */
import { useState } from 'preact/hooks';
import type {
  listDeadLetters,
  listJobs,
  listWebhooks,
  retryAllDeadLetters,
  retryDeadLetter,
} from '../../operators/index.ts';
import { type Answer, itemsOf, send } from '../page/api.ts';
import {
  Badge,
  Button,
  type Column,
  Confirm,
  Empty,
  formatMs,
  LoadedTable,
  Outcome,
  Section,
  Text,
  Time,
  type ViewProps,
} from '../page/components/index.ts';
import { useAction } from '../page/use-action.ts';
import { useRead } from '../page/use-query.ts';

type WebhookEndpoint = Answer<typeof listWebhooks>['endpoints'][number];
type DeadLetter = Answer<typeof listDeadLetters>['letters'][number];
type JobKind = Answer<typeof listJobs>['kinds'][number];

const refresh = { everyMs: 10_000 } as const;

export function WebhooksSection({ mayAct }: ViewProps) {
  const endpoints = useRead<typeof listWebhooks>('/state/webhooks', {}, refresh);
  const letters = useRead<typeof listDeadLetters>('/state/deadLetters', {}, refresh);
  const reload = (): void => {
    letters.reload();
    endpoints.reload();
  };
  const action = useAction();
  const [isAsking, setAsking] = useState(false);
  const retry = (work: () => Promise<{ readonly retried: number }>): void =>
    action.run(async () => {
      const { retried } = await work();
      reload();
      return `${retried} ${retried === 1 ? 'webhook is' : 'webhooks are'} delivered again.`;
    });
  const dead = itemsOf(letters.value?.letters);
  const columns = mayAct
    ? [
        ...letterColumns,
        actionColumn((letter) =>
          retry(() =>
            send<typeof retryDeadLetter>('/state/deadLetters/retry', { tenant: letter.tenant, id: letter.id }),
          ),
        ),
      ]
    : letterColumns;
  return (
    <>
      <Outcome action={action} />
      <Section
        title="Dead letters"
        actions={mayAct && dead.length > 0 && <Button onClick={() => setAsking(true)}>Retry all</Button>}
      >
        <LoadedTable
          query={letters}
          caption="Dead letters"
          name="dead-letters"
          columns={columns}
          rows={() => dead}
          keyOf={({ tenant, id }) => `${tenant} ${id}`}
          empty="Every webhook was delivered, or still waits."
        />
      </Section>
      <Section title="Endpoints">
        <LoadedTable
          query={endpoints}
          caption="Endpoints"
          name="endpoints"
          columns={endpointColumns}
          rows={(value) => value.endpoints}
          keyOf={({ id }) => id}
          empty={
            <Empty title="No endpoint yet">
              <code>triglyph webhooks endpoint add</code> adds one.
            </Empty>
          }
        />
      </Section>
      {isAsking && (
        <Confirm
          title="Retry all dead letters"
          action={`Retry ${dead.length}`}
          onClose={() => setAsking(false)}
          onConfirm={() => {
            setAsking(false);
            retry(() => send<typeof retryAllDeadLetters>('/state/deadLetters/retryAll'));
          }}
        >
          <p>The servers deliver each of them again, with new attempts.</p>
        </Confirm>
      )}
    </>
  );
}

function actionColumn(retry: (letter: DeadLetter) => void): Column<DeadLetter> {
  return {
    name: 'Action',
    narrow: true,
    cell: (letter) => (
      <Button label={`Retry ${letter.id}`} onClick={() => retry(letter)}>
        Retry
      </Button>
    ),
  };
}

const letterColumns: readonly Column<DeadLetter>[] = [
  { name: 'Event', cell: ({ type }) => <code>{type}</code>, value: ({ type }) => type },
  {
    name: 'Tenant',
    value: ({ tenant, owner }) => (owner === undefined ? tenant : `${tenant}, ${owner}`),
  },
  { name: 'Endpoint', value: ({ endpoint }) => endpoint },
  {
    name: 'Given up',
    cell: ({ givenUpAt }) => <Time value={givenUpAt} isRelative />,
    value: ({ givenUpAt }) => givenUpAt,
    narrow: true,
  },
  { name: 'Attempts', value: ({ attempts }) => attempts, align: 'end', narrow: true },
  { name: 'Because', cell: ({ because }) => <Text value={because} max={300} />, value: ({ because }) => because },
];

const endpointColumns: readonly Column<WebhookEndpoint>[] = [
  { name: 'Address', value: ({ address }) => address },
  { name: 'Id', cell: ({ id }) => <code>{id}</code>, value: ({ id }) => id },
  { name: 'Tenant', value: ({ tenant }) => tenant, narrow: true },
  { name: 'Format', value: ({ format }) => format, narrow: true },
  { name: 'Waiting', value: ({ waiting }) => waiting, align: 'end', narrow: true },
  {
    name: 'Oldest',
    cell: ({ oldestMs }) => (oldestMs === undefined ? '' : formatMs(oldestMs)),
    value: ({ oldestMs }) => oldestMs,
    align: 'end',
    narrow: true,
  },
  {
    name: 'Dead',
    cell: ({ dead }) => (dead === 0 ? '0' : <Badge tone="bad">{dead} dead</Badge>),
    value: ({ dead }) => dead,
    align: 'end',
    narrow: true,
  },
];

export function JobsSection() {
  const query = useRead<typeof listJobs>('/state/jobs', {}, refresh);
  return (
    <Section title="Jobs by kind">
      <LoadedTable
        query={query}
        caption="Jobs by kind"
        columns={jobColumns}
        rows={({ kinds }) => kinds}
        keyOf={({ kind }) => kind}
        empty="No job waits."
      />
    </Section>
  );
}

const numberColumn = (name: string, cell: (kind: JobKind) => number): Column<JobKind> => ({
  name,
  cell,
  align: 'end',
  narrow: true,
});

const jobColumns: readonly Column<JobKind>[] = [
  { name: 'Kind', cell: ({ kind }) => <code>{kind}</code> },
  numberColumn('Due', ({ due }) => due),
  numberColumn('Leased', ({ leased }) => leased),
  numberColumn('Later', ({ scheduled }) => scheduled),
  numberColumn('Blocked', ({ blocked }) => blocked),
  numberColumn('Failing', ({ failing }) => failing),
  numberColumn('Dead', ({ dead }) => dead),
  {
    name: 'Last failure',
    cell: ({ lastFailure }) => lastFailure !== undefined && <Text value={lastFailure} max={300} />,
  },
];
