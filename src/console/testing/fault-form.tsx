/** The form of a fault: which requests have it, and what happens to them. */
import { useState } from 'preact/hooks';
import { type Answer, itemsOf, send } from '../page/api.ts';
import { Button, CheckField, Form, SelectField, useTexts } from '../page/components/index.ts';
import type { addTestFault, getTestState } from './contract.ts';

const effects: Readonly<Record<string, { readonly text: string; readonly fault: object }>> = {
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

export function FaultForm({ state, disabled, perform }: FaultFormProps) {
  const { values, choice } = useTexts({ operation: '', format: '', effect: 'answer internal' });
  const { operation, format, effect } = values;
  const [always, setAlways] = useState(false);
  const problems = itemsOf(state.problems).map((each) => ({ value: `answer ${each}`, text: `is refused: ${each}` }));
  const add = (): void => {
    const filter = { ...(operation !== '' && { operation }), ...(format !== '' && { format }) };
    const fault = effects[effect]?.fault ?? { answer: effect.slice('answer '.length) };
    const body = { ...filter, ...fault, ...(always && { always }) };
    perform(() => send<typeof addTestFault>('POST', '/testing/faults', body), 'The fault is set.');
  };
  return (
    <Form onSubmit={add}>
      <SelectField label="Operation" {...choice('operation')} none="any" options={itemsOf(state.operations)} />
      <SelectField label="Format" {...choice('format')} none="any" options={itemsOf(state.formats)} />
      <SelectField
        label="The request"
        {...choice('effect')}
        options={[...Object.entries(effects).map(([value, { text }]) => ({ value, text })), ...problems]}
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
