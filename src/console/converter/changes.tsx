/** What a conversion changes. */
import { Table, Text } from '../page/components/index.ts';
import { formatTitles } from '../page/formats.ts';
import type { EditedMessage } from './types.tsx';

export function Changes({ changes }: { readonly changes: NonNullable<EditedMessage['changes']> }) {
  if (changes.length === 0) return null;
  return (
    <details>
      <summary>
        {changes.length} {changes.length === 1 ? 'value changes' : 'values change'} in the conversion
      </summary>
      <Table
        caption="What the conversion changes"
        rows={changes}
        keyOf={({ at, doc, in: lost }) => `${at} ${doc} ${lost}`}
        columns={[
          {
            name: 'Field',
            cell: ({ at }) => (
              <code>
                <Text value={at} max={200} />
              </code>
            ),
          },
          {
            name: 'Change',
            cell: ({ doc, in: lost }) => (lost === undefined ? doc : `${doc} (in ${formatTitles[lost]})`),
          },
          { name: 'Before', cell: ({ before = '' }) => <Text value={before} max={200} /> },
          { name: 'After', cell: ({ after = '' }) => <Text value={after} max={200} /> },
        ]}
      />
    </details>
  );
}
