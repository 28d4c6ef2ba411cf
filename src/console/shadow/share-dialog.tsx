/** Sets how many percent of the requests a shadow gets or answers. */
import { Confirm, SelectField, TextField, useTexts } from '../page/components/index.ts';

interface ShareDialogProps {
  readonly upstream: string;
  readonly kind: 'share' | 'switch';
  readonly onSave: (body: { readonly percent: number; readonly operation?: string; readonly caller?: string }) => void;
  readonly onClose: () => void;
}

const steps = ['0', '1', '10', '50', '100'];

export function ShareDialog({ upstream, kind, onSave, onClose }: ShareDialogProps) {
  const { values, text, choice } = useTexts({ percent: '1', operation: '', caller: '' });
  const { percent, operation, caller } = values;
  const save = (): void =>
    onSave({
      percent: Number(percent),
      ...(operation !== '' && { operation }),
      ...(caller !== '' && { caller }),
    });
  const isSwitch = kind === 'switch';
  return (
    <Confirm
      title={isSwitch ? `Switch ${upstream}` : `Copies of ${upstream}`}
      action={isSwitch ? 'Switch' : 'Save'}
      isDangerous={isSwitch}
      onClose={onClose}
      onConfirm={save}
    >
      <p>
        {isSwitch
          ? 'The shadow answers this share of the callers instead of the upstream. Servers follow within two seconds.'
          : 'This share of the requests is copied to the shadow. Servers follow within two seconds.'}
      </p>
      <SelectField label="Percent" {...choice('percent')} options={steps} />
      <TextField label="Operation" {...text('operation')} placeholder="all" monospace />
      <TextField label="Caller" {...text('caller')} placeholder="all: an id or a username" />
    </Confirm>
  );
}
