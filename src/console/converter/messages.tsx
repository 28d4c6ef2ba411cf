/** Messages in several formats, one at a time, to be read. */
import { useState } from 'preact/hooks';
import { Code, Tabs } from '../page/components/index.ts';
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
      <Code
        value={shown.text}
        label={`In ${formatTitles[shown.format]}`}
        copyLabel={`Copy ${formatTitles[shown.format]}`}
      />
    </Tabs>
  );
}
