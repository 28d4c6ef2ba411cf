/** Controls that belong to one field. */
import type { ComponentChildren } from 'preact';

export interface FieldGroupProps {
  readonly name: string;
  readonly isRequired: boolean;
  readonly isInvalid: boolean;
  readonly children: ComponentChildren;
}

export function FieldGroup({ name, isRequired, isInvalid, children }: FieldGroupProps) {
  return (
    <fieldset class={isInvalid ? 'group invalid' : 'group'}>
      <legend>
        {name}
        {isRequired && <span class="required"> required</span>}
      </legend>
      {children}
    </fieldset>
  );
}
