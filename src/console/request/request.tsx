/** One request with everything that is kept of it. */
import { useState } from 'preact/hooks';
import { pathOf } from '../page/api.ts';
import {
  Code,
  Credential,
  Empty,
  Facts,
  formatMs,
  Loaded,
  Notice,
  Page,
  Preformatted,
  Section,
  SelectField,
  Table,
  Tabs,
  Text,
  Time,
} from '../page/components/index.ts';
import { formatTitle, languages } from '../page/formats.ts';
import { Link } from '../page/routing.tsx';
import { useRead } from '../page/use-query.ts';
import { KeyBadge, Outcome } from '../traffic/outcome.tsx';
import type { getTrafficRequest, printTrafficRequest } from './contract.ts';
import { Steps } from './steps.tsx';
import type { TrafficDetails, TrafficRequest } from './types.tsx';

export function RequestPage({ id }: { readonly id: string }) {
  const query = useRead<typeof getTrafficRequest>(pathOf`/traffic/requests/${id}`);
  return (
    <Page title={`Request ${query.value?.operation ?? ''}`.trim()} lead={<Link to="/traffic">All requests</Link>}>
      <Loaded query={query}>{(request) => <Content request={request} />}</Loaded>
    </Page>
  );
}

function Content({ request }: { readonly request: TrafficRequest }) {
  const { details } = request;
  return (
    <>
      <Summary request={request} />
      {details === undefined ? (
        <Section>
          <Empty title="No details are kept of this request.">
            <p>
              The traffic was not open when it was answered, there were too many requests at the time, or newer ones
              took their place.
            </p>
          </Empty>
        </Section>
      ) : (
        <>
          <Problem details={details} />
          <Messages request={request} details={details} />
          <Steps details={details} total={request.ms} />
          <UpstreamCalls details={details} />
        </>
      )}
    </>
  );
}

function Summary({ request }: { readonly request: TrafficRequest }) {
  const { details } = request;
  return (
    <div class="cards">
      <Section title="Request">
        <Facts
          facts={[
            ['Answered', <Time value={request.at} />],
            ['Address', <code>{`${request.method} ${request.path ?? ''}`}</code>],
            ['Format', formatTitle(request.format)],
            [
              'Operation',
              `${request.operation ?? 'unknown'}${request.version === undefined ? '' : `, version ${request.version}`}`,
            ],
            ['Caller', <Credential id={request.caller} />],
            ['Client', details?.client && <Text value={details.client} />],
            ['From', details && <code>{details.address}</code>],
          ]}
        />
      </Section>
      <Section title="Outcome">
        <Facts
          facts={[
            ['Outcome', <Outcome line={request} />],
            [
              'Idempotency-Key',
              <span class="row">
                <KeyBadge value={request.key} />
                {details?.keyLength !== undefined && <span class="hint">{`${details.keyLength} characters`}</span>}
                {details?.keyIsWeak && <span class="hint">short: two callers may choose the same</span>}
              </span>,
            ],
            ['Reference', <Link to={`/traffic?reference=${request.reference}`}>{request.reference || 'none'}</Link>],
            ['Time', formatMs(request.ms)],
            ['Bytes', `${request.bytesIn.toLocaleString('en')} in, ${request.bytesOut.toLocaleString('en')} out`],
            ['Request id', details && <code>{details.requestId}</code>],
            ['Trace', details && <code>{details.traceId}</code>],
          ]}
        />
      </Section>
    </div>
  );
}

function Problem({ details }: { readonly details: TrafficDetails }) {
  const { problemMessage, problemCode, issues } = details;
  if (problemMessage === undefined) return null;
  return (
    <Section title="What is wrong">
      <p>
        <strong>{problemCode}</strong> <Text value={problemMessage} />{' '}
        <Link to="/docs/troubleshooting#what-callers-report">What callers report</Link>
      </p>
      {issues.length > 0 && (
        <Table
          caption="Issues"
          rows={issues}
          columns={[
            { name: 'Place', cell: ({ at }) => <Text value={at} /> },
            { name: 'Code', cell: ({ code }) => code, narrow: true },
            { name: 'Message', cell: ({ message }) => <Text value={message} /> },
          ]}
        />
      )}
    </Section>
  );
}

type MessageTab = 'received' | 'canonical' | 'answer' | 'program';

const tabs: readonly { readonly name: MessageTab; readonly title: string }[] = [
  { name: 'received', title: 'Received' },
  { name: 'canonical', title: 'Canonical' },
  { name: 'answer', title: 'Answer' },
  { name: 'program', title: 'Copy as a program' },
];

interface MessagesProps {
  readonly request: TrafficRequest;
  readonly details: TrafficDetails;
}

function Messages({ request, details }: MessagesProps) {
  const [tab, setTab] = useState<MessageTab>('received');
  return (
    <Section title="Messages">
      <Tabs label="Messages" tabs={tabs} selected={tab} onSelect={(name) => setTab(name as MessageTab)}>
        <Panel tab={tab} request={request} details={details} />
      </Tabs>
    </Section>
  );
}

function Panel({ tab, request, details }: MessagesProps & { readonly tab: MessageTab }) {
  const { received, canonical, answer } = details;
  switch (tab) {
    case 'received':
      return (
        <div class="stack">
          {!received.isReadable && (
            <Notice tone="warning">
              No format could read the body. Its structure is shown: letters are x, digits are 0.
            </Notice>
          )}
          <Message message={received} label="The body that was received" query={received.query} />
        </div>
      );
    case 'canonical':
      return canonical === undefined ? (
        <Empty title="No canonical form: the request has issues, or did not get that far." />
      ) : (
        <Code value={canonical} label="The canonical form" />
      );
    case 'answer':
      return <Message message={answer} label="The body of the answer" />;
    case 'program':
      return <ProgramPanel id={request.id} isPossible={canonical !== undefined} />;
    default:
      return tab satisfies never;
  }
}

interface MessageProps {
  readonly message: TrafficDetails['answer'];
  readonly label: string;
  readonly query?: string | undefined;
}

function Message({ message, label, query = '' }: MessageProps) {
  return (
    <div class="stack">
      <Table
        caption="Headers"
        rows={message.headers}
        columns={[
          { name: 'Header', cell: ({ name }) => <code>{name}</code>, narrow: true },
          { name: 'Value', cell: ({ value = '' }) => <Text value={value} max={300} /> },
        ]}
      />
      {query !== '' && <Preformatted value={`?${query}`} label="The query" />}
      {message.body === undefined || message.body === '' ? (
        <p class="hint">No body.</p>
      ) : (
        <Code value={message.body} indented={message.indented} label={label} />
      )}
      {message.isCut && <p class="hint">The message is longer: no more of it is kept.</p>}
    </div>
  );
}

function UpstreamCalls({ details }: { readonly details: TrafficDetails }) {
  const { upstreamCalls } = details;
  if (upstreamCalls.length === 0) return null;
  return (
    <Section title="Requests to upstreams">
      <Table
        caption="Requests to upstreams"
        rows={upstreamCalls}
        columns={[
          { name: 'Upstream', cell: ({ upstream }) => upstream },
          { name: 'Operation', cell: ({ operation }) => operation },
          { name: 'Key', cell: ({ hasKey }) => (hasKey ? 'sent' : 'none'), narrow: true },
          { name: 'Outcome', cell: ({ outcome }) => outcome },
          { name: 'Began after', cell: ({ startMs }) => formatMs(startMs), align: 'end', narrow: true },
          { name: 'Time taken', cell: ({ ms }) => formatMs(ms), align: 'end', narrow: true },
          { name: 'Its reference', cell: ({ reference }) => <Text value={reference ?? ''} /> },
        ]}
      />
    </Section>
  );
}

function ProgramPanel({ id, isPossible }: { readonly id: string; readonly isPossible: boolean }) {
  const [language, setLanguage] = useState('curl');
  if (!isPossible) return <Empty title="A request without a canonical form cannot be printed as a program." />;
  return (
    <div class="stack">
      <SelectField
        label="Language"
        value={language}
        options={languages}
        onChange={setLanguage}
        hint="Sends the request in JSON. Replace what is masked, and give the credential in the environment."
      />
      <Program id={id} language={language} />
    </div>
  );
}

function Program({ id, language }: { readonly id: string; readonly language: string }) {
  const query = useRead<typeof printTrafficRequest>(pathOf`/traffic/requests/${id}/programs/${language}`);
  return (
    <Loaded query={query}>
      {({ source }) => <Code value={source} language="text" label="The program" copyLabel="Copy the program" />}
    </Loaded>
  );
}
