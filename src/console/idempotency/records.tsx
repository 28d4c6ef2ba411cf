/** Finds what is known of an Idempotency-Key. */
import { useState } from 'preact/hooks';
import type { findIdempotencyRecord } from '../../operators/index.ts';
import { type Answer, send } from '../page/api.ts';
import {
  Badge,
  Button,
  Code,
  ErrorBox,
  Facts,
  Filters,
  Form,
  Loaded,
  Notice,
  Section,
  Text,
  TextField,
  Time,
  useTexts,
  type ViewProps,
} from '../page/components/index.ts';
import { Link, useFilter } from '../page/routing.tsx';
import { useAction } from '../page/use-action.ts';
import { useQuery } from '../page/use-query.ts';

type FoundRecord = Answer<typeof findIdempotencyRecord>;

export function RecordsSection({ gateway, boundTenant = '' }: ViewProps) {
  const { values, text } = useTexts({ tenant: boundTenant, partition: '', key: '' });
  const { tenant, partition, key } = values;
  const [record, setRecord] = useState<FoundRecord>();
  const action = useAction();
  const find = (): void =>
    action.run(async () => {
      setRecord(undefined);
      const question = { tenant, key, ...(partition !== '' && { partition }) };
      setRecord(await send<typeof findIdempotencyRecord>('/state/idempotencyRecord', question));
      return '';
    });
  return (
    <>
      {gateway.records === 'database' && boundTenant === '' && <ByReference />}
      <Section title="Find a record by its key">
        <p class="hint">Keys are stored as keyed hashes, so there is no list of them.</p>
        <Form onSubmit={find}>
          <TextField
            label="Tenant"
            hint={
              gateway.forwardsCredentials
                ? 'The caller as the traffic names it: anonymous for requests without a credential.'
                : undefined
            }
            {...text('tenant')}
            required
          />
          <TextField
            label="Part of the tenant"
            hint="For services whose keys belong to a part of a tenant, such as a platform."
            {...text('partition')}
          />
          <TextField label="Idempotency-Key" {...text('key')} required monospace />
          <div class="actions">
            <Button kind="primary" type="submit" disabled={action.isRunning || tenant === '' || key === ''}>
              Find
            </Button>
          </div>
        </Form>
        <ErrorBox error={action.error} />
      </Section>
      {record !== undefined && <RecordDetails record={record} />}
    </>
  );
}

function ByReference() {
  const filter = useFilter('/state/records');
  const reference = (filter.query.get('reference') ?? '').trim();
  return (
    <>
      <Section title="Find a record by the reference of its request">
        <Filters>
          <TextField label="Reference" {...filter.text('reference')} monospace />
        </Filters>
      </Section>
      {/^[A-Za-z0-9]{16}$/.test(reference) && <RecordOfReference reference={reference} />}
    </>
  );
}

function RecordOfReference({ reference }: { readonly reference: string }) {
  const query = useQuery(reference, (signal) =>
    send<typeof findIdempotencyRecord>('/state/idempotencyRecord', { reference }, signal),
  );
  return (
    <Loaded query={query}>
      {(record) =>
        record.found ? (
          <RecordDetails record={record} />
        ) : (
          <Notice>
            None of the newest 20,000 records has this reference. A request without a key has no record, and a replay
            has the reference of the first request.
          </Notice>
        )
      }
    </Loaded>
  );
}

function RecordDetails({ record }: { readonly record: FoundRecord }) {
  if (!record.found)
    return <Notice>There is no record of this key. It was not used by this tenant, or its time is over.</Notice>;
  const { status, operation = '', requestReference = '', createdAt, expiresAt, requestHash, outcome } = record;
  return (
    <Section title="Record">
      <Facts
        facts={[
          [
            'Status',
            <Badge tone={status === 'unknown' ? 'bad' : status === 'completed' ? 'good' : 'warning'}>{status}</Badge>,
          ],
          ['Operation', <code>{operation}</code>],
          [
            'Request',
            <Link to={`/traffic?reference=${encodeURIComponent(requestReference)}`}>
              <Text value={requestReference} />
            </Link>,
          ],
          ['Used first', createdAt === undefined ? '' : <Time value={createdAt} />],
          ['Expires', expiresAt === undefined ? 'when it has an outcome' : <Time value={expiresAt} />],
          ['Request hash', <code>{requestHash}…</code>],
        ]}
      />
      {outcome !== undefined && <Code label="Stored outcome" value={formatJson(outcome)} />}
      {record.pendingRequest !== undefined && (
        <Link to={`/state/pending/${record.pendingRequest}`}>Pending request</Link>
      )}
    </Section>
  );
}

export function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
