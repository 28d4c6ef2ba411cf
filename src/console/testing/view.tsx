/** The test API of the demo: its clock, its faults and its data. */
import { useState } from 'preact/hooks';
import { type Answer, itemsOf, send } from '../page/api.ts';
import {
  Badge,
  Button,
  CheckField,
  Confirm,
  Facts,
  Form,
  Loaded,
  Notice,
  Outcome,
  Page,
  Section,
  SelectField,
  TextField,
  Time,
  useTexts,
  type ViewProps,
} from '../page/components/index.ts';
import { type Action, useAction } from '../page/use-action.ts';
import { useRead } from '../page/use-query.ts';
import type { addTestFault, changeTestClock, clearTestFaults, getTestState, resetTest } from './contract.ts';
import { DataBrowser } from './data.tsx';

type TestState = Answer<typeof getTestState>;

interface ControlProps {
  readonly state: TestState;
  readonly action: Action;
  readonly mayAct: boolean;
  /** Runs an action, then shows the new state. */
  readonly perform: (work: () => Promise<unknown>, done: string) => void;
}

export default function TestingView({ mayAct }: ViewProps) {
  const query = useRead<typeof getTestState>('/testing', {}, { everyMs: 10_000 });
  const action = useAction();
  const perform = (work: () => Promise<unknown>, done: string): void =>
    action.run(async () => {
      await work();
      query.reload();
      return done;
    });
  return (
    <Page title="Test API" lead="What the demo lets tests control, and the data that it holds.">
      <Outcome action={action} />
      <Loaded query={query}>
        {(state) => <Content state={state} action={action} mayAct={mayAct} perform={perform} />}
      </Loaded>
    </Page>
  );
}

function Content(props: ControlProps) {
  const { isDemo, isControllable } = props.state;
  if (!isDemo)
    return <Notice>This is not the demo: its data is not shown here, and nothing of it can be controlled.</Notice>;
  return (
    <>
      {isControllable ? (
        <div class="cards">
          <Clock {...props} />
          <FaultSection {...props} />
        </div>
      ) : (
        <Notice>
          A small demo on this machine can be controlled: with an embedded store of up to 1,000 generated records, and
          without <code>--host</code>.
        </Notice>
      )}
      <DataBrowser />
    </>
  );
}

const spans = [
  ['1 hour', { hours: 1 }],
  ['1 day', { days: 1 }],
  ['31 days', { days: 31 }],
] as const;

function Clock({ state, action, mayAct, perform }: ControlProps) {
  const [time, setTime] = useState('');
  const [isAsking, setAsking] = useState(false);
  const change = (body: object, done: string): void =>
    perform(() => send<typeof changeTestClock>('/testing/clock', body), done);
  return (
    <Section title="Clock and data">
      <Facts facts={[['Time of the gateway', <Time value={state.now} />]]} />
      {mayAct && (
        <div class="stack">
          <div class="actions">
            {spans.map(([name, span]) => (
              <Button
                key={name}
                disabled={action.isRunning}
                onClick={() => change(span, `The clock is ${name} ahead.`)}
              >
                {`Advance ${name}`}
              </Button>
            ))}
          </div>
          <TextField label="Stop the clock at (UTC)" type="datetime-local" value={time} onInput={setTime} />
          <div class="actions">
            <Button
              disabled={time === '' || action.isRunning}
              onClick={() => change({ set: `${time.length === 16 ? `${time}:00` : time}Z` }, 'The clock stands still.')}
            >
              Stop the clock
            </Button>
            <Button kind="danger" disabled={action.isRunning} onClick={() => setAsking(true)}>
              Reset the demo
            </Button>
          </div>
        </div>
      )}
      {isAsking && (
        <Confirm
          title="Reset the demo"
          action="Reset"
          isDangerous
          onClose={() => setAsking(false)}
          onConfirm={() => {
            setAsking(false);
            perform(() => send<typeof resetTest>('/testing/reset'), 'The demo is as it was after its start.');
          }}
        >
          <p>Data, clock, identifiers and faults are those of the start again.</p>
        </Confirm>
      )}
    </Section>
  );
}

function FaultSection({ state, action, mayAct, perform }: ControlProps) {
  const faults = itemsOf(state.faults);
  return (
    <Section
      title="Faults"
      actions={
        mayAct &&
        faults.length > 0 && (
          <Button
            disabled={action.isRunning}
            onClick={() => perform(() => send<typeof clearTestFaults>('/testing/faults/clear'), 'No fault is left.')}
          >
            Clear faults
          </Button>
        )
      }
    >
      {faults.length === 0 ? (
        <p class="hint">Every request is executed.</p>
      ) : (
        <ul class="stack" aria-label="Faults that can still happen">
          {faults.map((each) => (
            <li key={JSON.stringify(each)}>
              <Badge tone="warning">{each.always ? 'every time' : `${each.times ?? 1} times`}</Badge>{' '}
              {describeFault(each)}
            </li>
          ))}
        </ul>
      )}
      {mayAct && <FaultForm state={state} disabled={action.isRunning} perform={perform} />}
    </Section>
  );
}

function describeFault({ always: _, times: __, ...fault }: TestState['faults'][number]): string {
  return Object.entries(fault)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ');
}

const faultEffects: Readonly<Record<string, { readonly text: string; readonly fault: object }>> = {
  delay: { text: 'waits for two seconds', fault: { delayMs: 2_000 } },
  before: { text: 'loses the connection before the effect', fault: { drop: 'before' } },
  after: { text: 'loses the connection after the effect', fault: { drop: 'after' } },
  malformed: { text: 'gets a broken answer', fault: { malformed: true } },
};

interface FaultFormProps {
  readonly state: Answer<typeof getTestState>;
  readonly disabled: boolean;
  readonly perform: (work: () => Promise<unknown>, done: string) => void;
}

function FaultForm({ state, disabled, perform }: FaultFormProps) {
  const { values, choice } = useTexts({ operation: '', format: '', effect: 'answer internal' });
  const { operation, format, effect } = values;
  const [always, setAlways] = useState(false);
  const problems = itemsOf(state.problems).map((each) => ({ value: `answer ${each}`, text: `is refused: ${each}` }));
  const add = (): void => {
    const filter = { ...(operation !== '' && { operation }), ...(format !== '' && { format }) };
    const fault = faultEffects[effect]?.fault ?? { answer: effect.slice('answer '.length) };
    const body = { ...filter, ...fault, ...(always && { always }) };
    perform(() => send<typeof addTestFault>('/testing/faults', body), 'The fault is set.');
  };
  return (
    <Form onSubmit={add}>
      <SelectField label="Operation" {...choice('operation')} none="any" options={itemsOf(state.operations)} />
      <SelectField label="Format" {...choice('format')} none="any" options={itemsOf(state.formats)} />
      <SelectField
        label="The request"
        {...choice('effect')}
        options={[...Object.entries(faultEffects).map(([value, { text }]) => ({ value, text })), ...problems]}
      />
      <CheckField label="Every time, and not only the next time" checked={always} onChange={setAlways} />
      <div class="actions">
        <Button type="submit" disabled={disabled}>
          Set fault
        </Button>
      </div>
    </Form>
  );
}
