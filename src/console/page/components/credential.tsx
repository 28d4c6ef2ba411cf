/** A credential by its name. Its id is shown on request. */
import { useMemo } from 'preact/hooks';
import { useNames } from '../use-names.ts';
import type { Column } from './table.tsx';
import { Text } from './text.tsx';

export function Credential({ id }: { readonly id: string | undefined }) {
  const names = useNames();
  if (id === undefined) return <span class="hint">without a valid credential</span>;
  const name = names?.nameOf(id) ?? id;
  return (
    <>
      <Text value={name} max={80} />
      {name !== id && (
        <details class="id">
          <summary aria-label={`The id of ${name}`}>id</summary>
          <code>{id}</code>
        </details>
      )}
    </>
  );
}

/** Who has changed something, as the store has it: `credential cr_x`, or `user anna`. */
export function Actor({ value }: { readonly value: string }) {
  const id = value.startsWith('credential ') ? value.slice('credential '.length) : undefined;
  return id === undefined ? <Text value={value} /> : <Credential id={id} />;
}

/** The column of a table of calls, which sorts by the names. */
export function useCredentialColumn(): Column<{ readonly credential?: string | undefined }> {
  const names = useNames();
  return useMemo(
    () => ({
      name: 'Credential',
      cell: ({ credential }) => <Credential id={credential} />,
      value: ({ credential }) => credential && (names?.nameOf(credential) ?? credential),
    }),
    [names],
  );
}
