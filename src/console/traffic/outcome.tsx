/** How a request ended, and what its key did, in words. */
import { Badge, type Tone } from '../page/components/index.ts';
import type { TrafficLine } from './use-traffic.tsx';

export function Outcome({ line }: { readonly line: Pick<TrafficLine, 'outcome' | 'isFailure' | 'status'> }) {
  const { outcome, isFailure, status } = line;
  const tone: Tone = isFailure ? 'bad' : outcome === 'ok' || outcome === 'notModified' ? 'good' : 'warning';
  return (
    <span class="traffic-outcome">
      <Badge tone={tone}>{outcome}</Badge> <span class="hint">{status}</span>
    </span>
  );
}

const keyTexts: Readonly<Record<TrafficLine['key'], string>> = {
  none: 'no key',
  unused: 'key, unused: it reads',
  new: 'key, new',
  replayed: 'replayed',
  conflict: 'key of another request',
  inProgress: 'in progress',
  notStored: 'key, nothing stored',
};

function keyText(key: TrafficLine['key']): string {
  return keyTexts[key];
}

export function KeyBadge({ value }: { readonly value: TrafficLine['key'] }) {
  if (value === 'none') return <span class="hint">none</span>;
  return (
    <Badge tone={value === 'replayed' ? 'info' : value === 'conflict' ? 'warning' : 'neutral'}>{keyText(value)}</Badge>
  );
}
