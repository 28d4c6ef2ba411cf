/** The request as programs that send it. */
import { useState } from 'preact/hooks';
import { packed } from '../form/draft.tsx';
import type { DraftObject } from '../form/types.tsx';
import { send } from '../page/api.ts';
import { Button, Code, Empty, Loaded, Section, Tabs } from '../page/components/index.ts';
import { type Format, formatTitles } from '../page/formats.ts';
import { useQuery } from '../page/use-query.ts';
import type { printPrograms } from './contract.ts';
import type { Described } from './types.tsx';

interface ProgramsProps {
  readonly described: Described;
  readonly draft: DraftObject;
  readonly format: Format;
  readonly forwardsCredentials: boolean;
}

export function Programs(props: ProgramsProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Section
      title="As a program"
      actions={
        <Button pressed={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Hide programs' : 'Show programs'}
        </Button>
      }
    >
      {isOpen ? (
        <Languages {...props} />
      ) : (
        <p class="hint">
          curl, PHP, Python, Java, C#, Ruby and Node.
          {!props.forwardsCredentials && ' They read the credential from their environment.'}
        </p>
      )}
    </Section>
  );
}

function Languages({ described, draft, format, forwardsCredentials }: ProgramsProps) {
  const { service, version, operation } = described;
  const [selected, setSelected] = useState('curl');
  const text = JSON.stringify(draft);
  const credential = forwardsCredentials ? 'none' : 'apiKey';
  const body = { service, version, operation, format, credential, ...packed(text) };
  const query = useQuery(
    `${format} ${text}`,
    (signal) => send<typeof printPrograms>('/explorer/programs', body, signal),
    { keepsValue: true },
  );
  return (
    <Loaded query={query}>
      {({ programs = [] }) => {
        const shown = programs.find(({ language }) => language === selected) ?? programs[0];
        if (shown === undefined) return <Empty title="The request has wrong fields. Correct them first." />;
        return (
          <Tabs
            label="Languages"
            tabs={programs.map(({ language, title }) => ({ name: language, title }))}
            selected={shown.language}
            onSelect={setSelected}
          >
            <p class="hint">
              Sends the request as {formatTitles[format]}. <code>{shown.file}</code>
            </p>
            <Code
              value={shown.text}
              language="text"
              label={`The program in ${shown.title}`}
              copyLabel={`Copy ${shown.title}`}
            />
          </Tabs>
        );
      }}
    </Loaded>
  );
}
