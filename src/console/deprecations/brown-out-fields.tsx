/** The brown-outs of a deprecation: windows in which its calls are refused, once or again and again. */
import { useState } from 'preact/hooks';
import type { listDeprecations } from '../../operators/index.ts';
import type { Answer } from '../page/api.ts';
import { Button, SelectField, TextField } from '../page/components/index.ts';

type Rule = Answer<typeof listDeprecations>['deprecations'][number]['rule'];
type BrownOut = NonNullable<Rule['brownOuts']>[number];

const once = 'once';
const repeats = ['day', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const newBrownOut: BrownOut = { every: 'tuesday', from: '09:00', to: '09:15', timeZone: 'UTC' };
const zones = Intl.supportedValuesOf('timeZone');

interface BrownOutFieldsProps {
  readonly brownOuts: readonly BrownOut[];
  readonly onChange: (brownOuts: readonly BrownOut[]) => void;
}

export function BrownOutFields({ brownOuts, onChange }: BrownOutFieldsProps) {
  return (
    <fieldset class="stack">
      <legend>Brown-outs: the calls are refused for a while, as a rehearsal</legend>
      {brownOuts.map((each, at) => (
        <div class="stack" key={at}>
          <Window brownOut={each} number={at + 1} onChange={(next) => onChange(brownOuts.with(at, next))} />
          <div class="actions">
            <Button label={`Remove brown-out ${at + 1}`} onClick={() => onChange(brownOuts.toSpliced(at, 1))}>
              Remove
            </Button>
          </div>
        </div>
      ))}
      <div class="actions">
        <Button onClick={() => onChange([...brownOuts, newBrownOut])}>Add a brown-out</Button>
      </div>
    </fieldset>
  );
}

interface WindowProps {
  readonly brownOut: BrownOut;
  readonly number: number;
  readonly onChange: (brownOut: BrownOut) => void;
}

function Window({ brownOut: { every, from, to, timeZone = 'UTC' }, number, onChange }: WindowProps) {
  const repeat = (value: string): void => onChange(value === once ? windowOfToday() : { ...newBrownOut, every: value });
  return (
    <div class="filters">
      <SelectField label={`Brown-out ${number}`} value={every ?? once} options={[once, ...repeats]} onChange={repeat} />
      {every === undefined ? (
        <>
          <Moment label="From" value={from} onChange={(value) => onChange({ from: value, to })} />
          <Moment label="To" value={to} onChange={(value) => onChange({ from, to: value })} />
        </>
      ) : (
        <>
          <TextField
            label="From"
            type="time"
            value={from}
            onInput={(value) => onChange({ every, from: value, to, timeZone })}
          />
          <TextField
            label="To"
            type="time"
            value={to}
            onInput={(value) => onChange({ every, from, to: value, timeZone })}
          />
          <TextField
            label="Time zone"
            value={timeZone}
            options={zones}
            onInput={(value) => onChange({ every, from, to, timeZone: value })}
          />
        </>
      )}
    </div>
  );
}

interface MomentProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A moment in the zone of the reader, which is UTC in the deprecation. */
function Moment({ label, value, onChange }: MomentProps) {
  // A year that is half typed is an early one, which has seconds in its zone: what is printed of it would not be what was typed.
  const [typed, setTyped] = useState({ text: '', value: '' });
  const date = new Date(value);
  const isValid = !Number.isNaN(date.getTime());
  const local = isValid ? new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16) : '';
  const change = (text: string): void => {
    const next = text === '' ? '' : toMoment(new Date(text));
    setTyped({ text, value: next });
    onChange(next);
  };
  const text = typed.value === value ? typed.text : local;
  return <TextField label={`${label} (your time)`} type="datetime-local" value={text} onInput={change} />;
}

function windowOfToday(): BrownOut {
  const start = Date.now() + 3_600_000;
  return { from: toMoment(new Date(start)), to: toMoment(new Date(start + 900_000)) };
}

function toMoment(date: Date): string {
  return date.toISOString().replace(/\.\d+Z$/, 'Z');
}
