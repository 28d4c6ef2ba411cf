/** Controls that belong to one field. */
import type { ComponentChildren, Ref } from 'preact';

export interface FieldGroupProps {
  readonly name: string;
  readonly isRequired: boolean;
  readonly isInvalid: boolean;
  readonly element?: Ref<HTMLFieldSetElement>;
  readonly children: ComponentChildren;
}

export function FieldGroup({ name, isRequired, isInvalid, element = null, children }: FieldGroupProps) {
  return (
    <fieldset ref={element} class={isInvalid ? 'group invalid' : 'group'}>
      <legend>
        {name}
        {isRequired && <span class="required"> required</span>}
      </legend>
      {children}
    </fieldset>
  );
}
