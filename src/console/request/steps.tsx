/** The steps of a request: a table, in which a bar shows when each one was. */
import { formatMs, Section, Table } from '../page/components/index.ts';
import type { TrafficDetails } from './types.tsx';

type Step = TrafficDetails['steps'][number];

const titles: Readonly<Record<Step['name'], string>> = {
  receive: 'Receive: log-in, turn, body',
  decode: 'Decode',
  authorize: 'Authorize and check texts',
  execute: 'Execute idempotently',
  read: 'Read the store',
  transaction: 'Transaction',
  upstream: 'Ask the upstream',
  answer: 'Encode and write the answer',
};

/** Parts of the step before them. */
const inner: ReadonlySet<Step['name']> = new Set(['read', 'transaction', 'upstream']);

interface Row extends Pick<Step, 'ms' | 'isFailed'> {
  readonly title: string;
  readonly isInner?: boolean;
  /** Absent for a sum. */
  readonly startMs?: number;
}

/** The steps, and the total of those that are no part of others. */
function rowsOf(steps: readonly Step[], total: number): readonly Row[] {
  return [
    ...steps.map(({ name, ...step }) => ({ ...step, title: titles[name], isInner: inner.has(name) })),
    { title: 'Total', ms: total, isFailed: false },
  ];
}

export function Steps({ details, total }: { readonly details: TrafficDetails; readonly total: number }) {
  return (
    <Section title="Time by step">
      <Table
        caption="Time by step"
        rows={rowsOf(details.steps, total)}
        columns={[
          {
            name: 'Step',
            cell: ({ title, isInner, isFailed }) => (
              <span class={isInner ? 'step-inner' : undefined}>
                {title}
                {isFailed && <span class="hint"> (ended with an error)</span>}
              </span>
            ),
          },
          { name: 'Time', cell: ({ ms }) => formatMs(ms), align: 'end', narrow: true },
          {
            name: 'When',
            cell: ({ startMs, ms }) => startMs !== undefined && <Bar step={{ startMs, ms }} total={total} />,
          },
        ]}
      />
    </Section>
  );
}

function Bar({
  step: { startMs, ms },
  total,
}: {
  readonly step: Pick<Step, 'startMs' | 'ms'>;
  readonly total: number;
}) {
  const share = (part: number): number => Math.min(Math.max((100 * part) / (total || 1), 0), 100);
  return (
    <svg class="step-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect class="step-whole" x="0" y="3" width="100" height="2" />
      <rect class="step-part" x={share(startMs)} y="0" width={Math.max(share(ms), 0.5)} height="8" />
    </svg>
  );
}
