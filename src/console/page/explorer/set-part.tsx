/** The part of the form for a set: a text with commas between its values. */
import { CheckField } from '../components/index.ts';
import { FieldGroup } from './field-group.tsx';
import type { FormField } from './types.ts';

export interface SetPartProps {
  readonly field: FormField;
  readonly name: string;
  readonly text: string;
  readonly error: string | undefined;
  readonly onChange: (text: string) => void;
}

export function SetPart({ field, name, text, error, onChange }: SetPartProps) {
  const chosen = text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  const toggle = (value: string, isChosen: boolean): void =>
    onChange((isChosen ? [...chosen, value] : chosen.filter((each) => each !== value)).join(','));
  const values = field.values ?? [];
  const strange = chosen.filter((each) => !values.includes(each));
  return (
    <FieldGroup name={name} isRequired={field.required} isInvalid={error !== undefined}>
      <p class="hint">{field.doc}</p>
      <div class="row">
        {[...values, ...strange].map((value) => (
          <CheckField
            key={value}
            label={value}
            checked={chosen.includes(value)}
            onChange={(isChosen) => toggle(value, isChosen)}
          />
        ))}
      </div>
      {error !== undefined && <p class="error">{error}</p>}
    </FieldGroup>
  );
}
