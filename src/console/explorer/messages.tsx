/** Messages in several formats, one at a time, to be read. */
import { useState } from 'preact/hooks';
import { CopyButton, Preformatted, Tabs } from '../page/components/index.ts';
import { formatTitles } from '../page/formats.ts';
import type { ShownMessage } from './types.tsx';

export function Messages({ label, messages }: { readonly label: string; readonly messages: readonly ShownMessage[] }) {
  const [selected, setSelected] = useState<string>();
  const shown = messages.find(({ format }) => format === selected) ?? messages[0];
  if (shown === undefined) return null;
  return (
    <Tabs
      label={label}
      tabs={messages.map(({ format }) => ({ name: format, title: formatTitles[format] }))}
      selected={shown.format}
      onSelect={setSelected}
    >
      <Preformatted value={shown.text} label={`In ${formatTitles[shown.format]}`} />
      <CopyButton text={shown.text} label={`Copy ${formatTitles[shown.format]}`} />
    </Tabs>
  );
}
