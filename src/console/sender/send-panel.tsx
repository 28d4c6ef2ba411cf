/** Sends the request with the credential of a caller, and shows the answer in all formats. */
import { useEffect, useState } from 'preact/hooks';
import { Messages } from '../converter/messages.tsx';
import type { ShownMessage } from '../converter/types.tsx';
import type { Described, Operations } from '../explorer/types.tsx';
import { newKey, packed } from '../form/draft.tsx';
import { type Answer, type ApiError, itemsOf, send, toApiError } from '../page/api.ts';
import {
  Badge,
  Button,
  CopyButton,
  ErrorBox,
  Notice,
  Section,
  SelectField,
  Table,
  Text,
  TextField,
} from '../page/components/index.ts';
import { type Format, formatTitles } from '../page/formats.ts';
import { Link } from '../page/routing.tsx';
import type { sendExplorerRequest } from './contract.ts';

interface SendPanelProps {
  readonly described: Described;
  readonly demoCredentials: Operations['demoCredentials'];
  readonly mayAct: boolean;
  /** Whether callers need no credential: what they have goes to the server behind the gateway. */
  readonly forwardsCredentials: boolean;
  /** The text of the request in a format; undefined where it has none. */
  readonly textIn: (format: Format) => string | undefined;
  /** An edit is being read: the texts are of the edit before. */
  readonly isPending: boolean;
  readonly format: Format;
  readonly onRefused: (fields: SentAnswer['refused']) => void;
}

export type SentAnswer = Answer<typeof sendExplorerRequest>;

interface Sent {
  readonly number: number;
  readonly format: Format;
  readonly key: string;
  readonly answer: SentAnswer;
}

/** Typed once for all operations, and forgotten with the page. */
let remembered: Typed | undefined;

interface Typed {
  readonly who: string;
  readonly apiKey: string;
  readonly username: string;
  readonly password: string;
}

/** The key and the answers of each operation, for a reader who leaves its page and comes back. */
const left = new Map<string, { readonly key: string; readonly sent: readonly Sent[] }>();

const sentMax = 10;

export function SendPanel(props: SendPanelProps) {
  const { described, demoCredentials, mayAct, forwardsCredentials, textIn, isPending, format, onRefused } = props;
  const { service, version, operation, effect, formats } = described;
  const page = `${service} ${version} ${operation}`;
  const [typed, setTyped] = useState(() => firstTyped(props));
  const [key, setKey] = useState(left.get(page)?.key ?? '');
  const [sent, setSent] = useState(left.get(page)?.sent ?? []);
  const [error, setError] = useState<ApiError>();
  const [isSending, setSending] = useState(false);
  // What is asked for during an edit is sent when that is read.
  const [wanted, setWanted] = useState<Format>();
  useEffect(() => {
    left.set(page, { key, sent });
  }, [page, key, sent]);
  useEffect(() => {
    if (wanted === undefined || isPending) return;
    setWanted(undefined);
    void sendIn(wanted);
  }, [wanted, isPending]);
  const type = (part: Partial<Typed>): void => {
    remembered = { ...typed, ...part };
    setTyped(remembered);
  };
  const canSend = (each: Format): boolean => mayAct && (isPending || textIn(each) !== undefined);
  const isBusy = isSending || wanted !== undefined;
  const sendIn = async (each: Format): Promise<void> => {
    const text = textIn(each);
    if (text === undefined) return;
    setSending(true);
    setError(undefined);
    try {
      const body = {
        service,
        version,
        operation,
        format: each,
        ...(key !== '' && { key }),
        ...credentialOf(typed),
        ...packed(text),
      };
      const answer = await send<typeof sendExplorerRequest>('/explorer/requests', body);
      setSent((before) =>
        [{ number: (before[0]?.number ?? 0) + 1, format: each, key, answer }, ...before].slice(0, sentMax),
      );
      onRefused(answer.refused);
    } catch (thrown) {
      setError(toApiError(thrown));
    } finally {
      setSending(false);
    }
  };
  const [last] = sent;
  return (
    <>
      <Section title="Send">
        <div class="send-fields">
          <CallerFields typed={typed} onType={type} demoCredentials={demoCredentials} />
          <div class="send-key">
            <TextField
              label="Idempotency-Key"
              value={key}
              monospace
              hint={
                effect === 'writes'
                  ? 'With one key, a request has its effect once, in whichever format it is sent again.'
                  : undefined
              }
              onInput={setKey}
            />
            <Button onClick={() => setKey(newKey())}>New key</Button>
          </div>
        </div>
        <div class="row">
          <Button kind="primary" disabled={!canSend(format)} isBusy={isBusy} onClick={() => setWanted(format)}>
            {isBusy ? 'Sending…' : `Send as ${formatTitles[format]}`}
          </Button>
          {sent.length > 0 &&
            formats
              .filter((each) => each !== format)
              .map((each) => (
                <Button key={each} disabled={!canSend(each)} isBusy={isBusy} onClick={() => setWanted(each)}>
                  Again as {formatTitles[each]}
                </Button>
              ))}
        </div>
        {!mayAct && <p class="hint">Sending requires the role console-admin or console-tenant-admin.</p>}
        <p class="hint send-note">
          The request goes through the port for callers of this gateway. The credential is not kept.
          {forwardsCredentials && ' Callers need none: what they send goes on to the server behind the gateway.'}
        </p>
        <ErrorBox error={error} />
      </Section>
      {last !== undefined && <AnswerSection key={last.number} sent={last} />}
      {sent.length > 1 && <SentBefore sent={sent.slice(1)} />}
    </>
  );
}

function firstTyped({ described: { service }, demoCredentials, forwardsCredentials }: SendPanelProps): Typed {
  const before = remembered ?? { who: forwardsCredentials ? 'none' : 'demo', apiKey: '', username: '', password: '' };
  // A credential of the demo is chosen anew where it authorizes nothing.
  const fitting = demoCredentials.filter(({ services }) => itemsOf(services).includes(service));
  const names = fitting.map(({ name }) => `demo ${name}`);
  const isKept = !before.who.startsWith('demo') || names.includes(before.who);
  return isKept ? before : { ...before, who: names[0] ?? 'apiKey' };
}

interface CallerFieldsProps extends Pick<SendPanelProps, 'demoCredentials'> {
  readonly typed: Typed;
  readonly onType: (part: Partial<Typed>) => void;
}

function CallerFields({ typed, onType, demoCredentials }: CallerFieldsProps) {
  return (
    <>
      <SelectField
        label="Caller"
        value={typed.who}
        options={[
          ...demoCredentials.map(({ name }) => ({ value: `demo ${name}`, text: `${name} (of the demo)` })),
          { value: 'apiKey', text: 'API key' },
          { value: 'basic', text: 'User and password' },
          { value: 'none', text: 'No credential' },
        ]}
        onChange={(who) => onType({ who })}
      />
      {typed.who === 'apiKey' && (
        <TextField label="API key" type="password" value={typed.apiKey} onInput={(apiKey) => onType({ apiKey })} />
      )}
      {typed.who === 'basic' && (
        <TextField label="User" value={typed.username} onInput={(username) => onType({ username })} />
      )}
      {typed.who === 'basic' && (
        <TextField
          label="Password of the user"
          type="password"
          value={typed.password}
          onInput={(password) => onType({ password })}
        />
      )}
    </>
  );
}

function SentBefore({ sent }: { readonly sent: readonly Sent[] }) {
  return (
    <Section title="Sent before">
      <Table
        caption="Sent before"
        rows={sent}
        keyOf={({ number }) => String(number)}
        columns={[
          { name: 'Format', cell: (each) => formatTitles[each.format], narrow: true },
          { name: 'Answer', cell: (each) => <AnswerBadges answer={each.answer} /> },
          { name: 'Key', cell: (each) => <code>{each.key}</code> },
        ]}
      />
    </Section>
  );
}

function credentialOf({ who, apiKey, username, password }: Typed): object {
  if (who.startsWith('demo ')) return { demoCredential: who.slice('demo '.length) };
  if (who === 'apiKey') return apiKey === '' ? {} : { apiKey };
  return who === 'basic' && username !== '' ? { username, ...(password !== '' && { password }) } : {};
}

function AnswerBadges({ answer: { status, ms, isReplayed, isMasked } }: { readonly answer: SentAnswer }) {
  return (
    <span class="row">
      <Badge tone={status < 400 ? 'good' : 'bad'}>{status < 400 ? `${status} accepted` : `${status} refused`}</Badge>
      <span>{ms} ms</span>
      {isReplayed && <Badge tone="info">replayed: the effect was not repeated</Badge>}
      {isMasked && <Badge>masked</Badge>}
    </span>
  );
}

function AnswerSection({ sent: { format, key, answer } }: { readonly sent: Sent }) {
  const own: ShownMessage = { format: answer.format ?? format, text: answer.text };
  const others = (answer.messages ?? []).filter((each) => each.format !== own.format);
  const { reference } = answer;
  return (
    <Section
      title={`Answer in ${formatTitles[own.format]}`}
      actions={<CopyButton text={answer.text} label="Copy answer" />}
    >
      <div class="stack">
        <div role="status">
          <AnswerBadges answer={answer} />
        </div>
        {reference !== undefined && (
          <p>
            <Link to={`/traffic?reference=${encodeURIComponent(reference)}`}>Find it in the traffic</Link>
          </p>
        )}
        {key !== '' && answer.status === 422 && answer.text.includes('704') && (
          <Notice tone="warning">This key belongs to another request. Make a new key.</Notice>
        )}
        <Messages label="The answer in all formats" messages={[own, ...others]} />
        <details>
          <summary>{answer.headers.length} headers</summary>
          <Table
            caption="Headers of the answer"
            rows={answer.headers}
            keyOf={({ name, value }) => `${name} ${value}`}
            columns={[
              { name: 'Name', cell: ({ name }) => <code>{name}</code>, narrow: true },
              { name: 'Value', cell: ({ value }) => <Text value={value} /> },
            ]}
          />
        </details>
      </div>
    </Section>
  );
}
