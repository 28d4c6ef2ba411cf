/** What needs the attention of an operator, with links to the views that show more. */

import { itemsOf } from '../page/api.ts';
import { Badge, ErrorBox, Notice, Section, Text, Time } from '../page/components/index.ts';
import { Link } from '../page/routing.tsx';
import { useRead } from '../page/use-query.ts';
import type { listAttention } from './contract.ts';

const words = { bad: 'act', warning: 'look' } as const;

export function AttentionSection() {
  const { value, error, reload } = useRead<typeof listAttention>('/overview/attention', {}, { everyMs: 30_000 });
  if (value === undefined) return <ErrorBox error={error} onRetry={reload} />;
  const items = itemsOf(value.items);
  return (
    <Section title="What needs attention">
      {!value.isComplete && <Notice tone="warning">Some checks were not possible.</Notice>}
      {items.length === 0 ? (
        <p>
          <Badge tone="good">nothing</Badge> Every webhook is delivered, every outcome is known, and no certificate ends
          soon.
        </p>
      ) : (
        <ul class="attention stack">
          {items.map(({ level, text, at, path }) => (
            <li key={text}>
              <Badge tone={level}>{words[level]}</Badge>
              <span>
                {path === undefined ? <Text value={text} /> : <Link to={path}>{text}</Link>}{' '}
                {at !== undefined && <Time value={at} />}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
