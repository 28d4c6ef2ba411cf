/** The converter: says what a message is, what it means, and what it is in other formats. */
import { useEffect, useState } from 'preact/hooks';
import { operationPath } from '../explorer/operation-page.tsx';
import type { Operations } from '../explorer/types.tsx';
import { carry, marksOf } from '../explorer/use-request.tsx';
import { packed } from '../form/draft.tsx';
import { type ApiError, send, toApiError } from '../page/api.ts';
import {
  Badge,
  Button,
  CheckField,
  Code,
  CodeEditor,
  Empty,
  ErrorBox,
  Facts,
  Section,
  Text,
  TextField,
} from '../page/components/index.ts';
import { formatTitles } from '../page/formats.ts';
import { navigate } from '../page/routing.tsx';
import { Changes } from './changes.tsx';
import type { editMessage } from './contract.ts';
import { Messages } from './messages.tsx';
import type { EditedMessage } from './types.tsx';

export function Converter({ operations }: { readonly operations: Operations['operations'] }) {
  const [text, setText] = useState('');
  const [operation, setOperation] = useState('');
  const [isAnswer, setAnswer] = useState(false);
  const [{ found, of }, setFound] = useState<{ readonly found?: EditedMessage; readonly of?: string }>({});
  const [error, setError] = useState<ApiError>();
  useEffect(() => {
    if (text.trim() === '') {
      setFound({});
      return undefined;
    }
    const controller = new AbortController();
    const timer = setTimeout(() => {
      const side = isAnswer ? { side: 'answer' } : {};
      const body = { ...(operation !== '' && { operation }), ...side, ...packed(text) };
      send<typeof editMessage>('/explorer/messages', body, controller.signal).then(
        (answer) => {
          setError(undefined);
          setFound({ found: answer, of: text });
        },
        (thrown: unknown) => {
          if (!controller.signal.aborted) setError(toApiError(thrown));
        },
      );
    }, 250);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [text, operation, isAnswer]);
  const names = [...new Set(operations.map((each) => each.operation))].sort();
  // Places and lines are of the text that was read, which may be an earlier one.
  const read = of === text ? found : undefined;
  const fault =
    read?.line === undefined ? [] : [{ from: read.start ?? 0, to: read.end ?? 0, message: read.error ?? '' }];
  return (
    <div class="explorer">
      <Section title="Message">
        <p class="hint">
          A request, an answer or an error of any format, with its HTTP head or without. Nothing is kept.
        </p>
        <CodeEditor
          label="The message"
          value={text}
          onInput={setText}
          rows={16}
          indented={read?.indented}
          marks={read === undefined ? [] : [...marksOf(read.issues), ...fault]}
        />
        <div class="send-fields">
          <TextField
            label="Operation"
            value={operation}
            options={names}
            hint="Where the message does not name it."
            onInput={setOperation}
          />
          <CheckField label="It is an answer" checked={isAnswer} onChange={setAnswer} />
        </div>
      </Section>
      <div>
        <ErrorBox error={error} />
        {found === undefined ? <Empty title="Paste a message." /> : <Found found={found} text={text} />}
      </div>
    </div>
  );
}

function Found({ found, text }: { readonly found: EditedMessage; readonly text: string }) {
  const {
    kind,
    error,
    service,
    version,
    operation,
    format,
    canonical,
    issues = [],
    changes = [],
    messages = [],
  } = found;
  if (kind === 'malformed' || kind === 'unnamed')
    return (
      <Section title={kind === 'malformed' ? 'The message is malformed' : 'The message does not say what it is'}>
        <p role="status">
          <Text value={error ?? ''} />
        </p>
      </Section>
    );
  const open = (): void => {
    carry({ from: format, text });
    navigate(operationPath({ service: service ?? '', version: version ?? 0, operation: operation ?? '' }));
  };
  return (
    <>
      <Section title="What it is" actions={kind === 'request' && <Button onClick={open}>Open in the explorer</Button>}>
        <div role="status">
          <Facts
            facts={[
              ['Kind', <Badge tone={kind === 'error' ? 'bad' : 'info'}>{kind}</Badge>],
              ['Operation', `${service} v${version}${operation === undefined ? '' : ` ${operation}`}`],
              ['Format', format === undefined ? '' : formatTitles[format]],
              ['Issues', issues.length === 0 ? 'none' : String(issues.length)],
            ]}
          />
        </div>
        <Changes changes={changes} />
      </Section>
      {canonical !== undefined && (
        <Section title="What it means">
          <Code value={canonical} label="The canonical form" />
        </Section>
      )}
      <Section title="In all formats">
        <Messages label="The message in all formats" messages={messages} />
      </Section>
    </>
  );
}
