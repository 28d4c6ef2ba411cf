/** A request as a program in a language. */
import { useState } from 'preact/hooks';
import { pathOf } from '../page/api.ts';
import { Code, Empty, Loaded, SelectField } from '../page/components/index.ts';
import { languages } from '../page/formats.ts';
import { useRead } from '../page/use-query.ts';
import type { printTrafficRequest } from './contract.ts';

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
  const query = useRead<typeof printTrafficRequest>(pathOf`/traffic/requests/${id}/programs/${language}`);
  return (
    <Loaded query={query}>
      {({ source }) => <Code value={source} language="text" label="The program" copyLabel="Copy the program" />}
    </Loaded>
  );
}
