/** A request as a program in a language. */
import { useState } from 'preact/hooks';
import type { printTrafficRequest } from '../../traffic/contract.ts';
import { pathOf, read } from '../api.ts';
import { CopyButton, Empty, ErrorBox, Loading, Preformatted, SelectField } from '../components/index.ts';
import { languages } from '../formats.ts';
import { useQuery } from '../use-query.ts';

export function ProgramPanel({ id, isPossible }: { readonly id: string; readonly isPossible: boolean }) {
  const [language, setLanguage] = useState('curl');
  if (!isPossible) return <Empty title="A request without a canonical form cannot be printed as a program." />;
  return (
    <div class="stack">
      <SelectField
        label="Language"
        value={language}
        options={languages}
        onChange={setLanguage}
        hint="Sends the request in JSON. Replace what is masked, and give the credential in the environment."
      />
      <Program id={id} language={language} />
    </div>
  );
}

function Program({ id, language }: { readonly id: string; readonly language: string }) {
  const { value, error } = useQuery(language, (signal) =>
    read<typeof printTrafficRequest>(pathOf`/traffic/requests/${id}/programs/${language}`, {}, signal),
  );
  if (value === undefined) return error === undefined ? <Loading /> : <ErrorBox error={error} />;
  return (
    <>
      <div class="row">
        <CopyButton text={value.source} label="Copy the program" />
      </div>
      <Preformatted value={value.source} label="The program" />
    </>
  );
}
