/** The kinds of differences between upstreams and their shadows, and their acceptance. */
import { useState } from 'preact/hooks';
import type { listShadowDifferences } from '../../operators/index.ts';
import type { Answer } from '../page/api.ts';
import { Badge, Button, type Column, Confirm, Empty, Table, Text, TextField, Time } from '../page/components/index.ts';

type Difference = NonNullable<Answer<typeof listShadowDifferences>['differences']>[number];

interface DifferenceListProps {
  readonly differences: readonly Difference[];
  /** Absent where the session only reads. */
  readonly onAccept?: (difference: Difference) => void;
  readonly onReopen?: (difference: Difference) => void;
}

export function DifferenceList({ differences, onAccept, onReopen }: DifferenceListProps) {
  const columns: readonly Column<Difference>[] = [
    {
      name: 'Member',
      value: ({ operation, path }) => `${path} ${operation}`,
      cell: ({ operation, path }) => (
        <>
          <code>
            <Text value={path} />
          </code>
          <br />
          <span class="hint">{operation}</span>
        </>
      ),
    },
    { name: 'Upstream', cell: ({ current }) => <Value text={current} />, value: ({ current }) => current },
    { name: 'Shadow', cell: ({ shadow }) => <Value text={shadow} />, value: ({ shadow }) => shadow },
    { name: 'Answers', value: ({ count }) => count, align: 'end', narrow: true },
    {
      name: 'Since',
      value: ({ firstAt }) => firstAt,
      cell: ({ firstAt, callers = [] }) => (
        <>
          <Time value={firstAt} isRelative />
          <br />
          <span class="hint">{callers.length === 1 ? '1 caller' : `${callers.length} callers`}</span>
        </>
      ),
      narrow: true,
    },
    {
      name: 'State',
      value: ({ reason, kind }) => (reason === undefined ? kind : `accepted: ${reason}`),
      cell: (each) =>
        each.reason === undefined ? (
          <>
            <Badge tone="bad">{each.kind}</Badge>{' '}
            {onAccept !== undefined && (
              <Button label={`Accept ${each.path}`} onClick={() => onAccept(each)}>
                Accept…
              </Button>
            )}
          </>
        ) : (
          <>
            <Badge tone="info">accepted</Badge> <Text value={each.reason} />{' '}
            <span class="hint">
              by <Text value={each.acceptedBy ?? ''} />
            </span>{' '}
            {onReopen !== undefined && (
              <Button kind="quiet" label={`Reopen ${each.path}`} onClick={() => onReopen(each)}>
                Reopen
              </Button>
            )}
          </>
        ),
    },
  ];
  return (
    <Table
      caption="Differences"
      name="differences"
      columns={columns}
      rows={differences}
      keyOf={({ id }) => id}
      empty={<Empty title="No compared answers differ." />}
    />
  );
}

function Value({ text }: { readonly text: string | undefined }) {
  return text === undefined ? (
    <span class="hint">absent</span>
  ) : (
    <code>
      <Text value={text} max={80} />
    </code>
  );
}

interface AcceptProps {
  readonly difference: Difference;
  readonly onAccept: (reason: string) => void;
  readonly onClose: () => void;
}

export function AcceptDialog({ difference: { path, operation }, onAccept, onClose }: AcceptProps) {
  const [reason, setReason] = useState('');
  return (
    <Confirm
      title="Accept this difference"
      action="Accept"
      disabled={reason.trim() === ''}
      onClose={onClose}
      onConfirm={() => onAccept(reason)}
    >
      <p>
        <Text value={path} /> of {operation} counts as no difference from now on. It stays in the list, with your
        reason.
      </p>
      <TextField label="Reason" value={reason} onInput={setReason} required />
    </Confirm>
  );
}
