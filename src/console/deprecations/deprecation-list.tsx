/** The active deprecations, and the actions on them. */
import { useState } from 'preact/hooks';
import type { listDeprecations } from '../../operators/index.ts';
import { type Answer, pathOf, send } from '../page/api.ts';
import {
  Actor,
  Badge,
  Button,
  Confirm,
  Credential,
  Empty,
  ErrorBox,
  Loaded,
  Notice,
  Section,
  SelectField,
  Text,
  Time,
  type Tone,
  type ViewProps,
} from '../page/components/index.ts';
import { useAction } from '../page/use-action.ts';
import { useRead } from '../page/use-query.ts';
import { RuleForm } from './rule-form.tsx';

type Known = Answer<typeof listDeprecations>;
type Deprecation = Known['deprecations'][number];

const tones: Readonly<Record<Deprecation['state'], readonly [Tone, string]>> = {
  scheduled: ['neutral', 'scheduled'],
  announced: ['info', 'announced'],
  brownOut: ['bad', 'brown-out: refused'],
  retired: ['bad', 'retired: refused'],
};

type Open =
  | { readonly form: 'new' | Deprecation }
  | { readonly remove: Deprecation }
  | { readonly exempt: Deprecation };

export function DeprecationList({ mayAct: mayActOnAll, gateway }: ViewProps) {
  const isStored = gateway.records !== 'nowhere';
  const mayAct = mayActOnAll && isStored;
  const query = useRead<typeof listDeprecations>('/callers/deprecations', {}, { everyMs: 10_000 });
  const [open, setOpen] = useState<Open>();
  const action = useAction();
  const close = () => setOpen(undefined);
  const act = (path: string, body: object): void =>
    action.run(async () => {
      try {
        await send(path, body);
      } finally {
        close();
        query.reload();
      }
      return '';
    });
  return (
    <>
      <ErrorBox error={action.error} onRetry={query.reload} />
      <Loaded query={query}>
        {({ deprecations = [], invalid = [], credentials = [] }) => (
          <>
            {mayAct ? (
              <div class="actions">
                <Button kind="primary" onClick={() => setOpen({ form: 'new' })}>
                  Deprecate calls
                </Button>
              </div>
            ) : (
              <Notice>
                {isStored
                  ? 'Only a credential with the role console-admin changes deprecations.'
                  : 'This gateway stores nothing: deprecations are those of its configuration file.'}
              </Notice>
            )}
            {invalid.map(({ id, faults }) => (
              <Notice key={id} tone="warning">
                {id} is not applied: <Text value={faults.join(' ')} />
              </Notice>
            ))}
            {deprecations.length === 0 && <Empty title="No call is deprecated" />}
            {deprecations.map((each) => (
              <Section
                key={each.id}
                title={<Text value={each.calls} />}
                actions={mayAct && <Actions deprecation={each} open={setOpen} />}
              >
                <Details
                  deprecation={each}
                  {...(mayAct && {
                    onEnd: (credential: string) =>
                      act(pathOf`/callers/deprecations/${each.id}/endExemption`, { credential }),
                  })}
                />
              </Section>
            ))}
            {open !== undefined && <OpenDialog open={open} credentials={credentials} act={act} onClose={close} />}
          </>
        )}
      </Loaded>
    </>
  );
}

interface ActionsProps {
  readonly deprecation: Deprecation;
  readonly open: (dialog: Open) => void;
}

function Actions({ deprecation, open }: ActionsProps) {
  const { calls, isStored } = deprecation;
  return (
    <>
      <Button label={`Exempt a caller from ${calls}`} onClick={() => open({ exempt: deprecation })}>
        Exempt…
      </Button>
      {isStored && (
        <>
          <Button label={`Change ${calls}`} onClick={() => open({ form: deprecation })}>
            Change…
          </Button>
          <Button kind="danger" label={`End ${calls}`} onClick={() => open({ remove: deprecation })}>
            End…
          </Button>
        </>
      )}
    </>
  );
}

interface DetailsProps {
  readonly deprecation: Deprecation;
  /** Ends the exemption of a credential; absent where the session only reads. */
  readonly onEnd?: (credential: string) => void;
}

function Details({ deprecation, onEnd }: DetailsProps) {
  const { state, until, source, rule, changedBy, changedAt, exemptions = [] } = deprecation;
  const [tone, word] = tones[state];
  return (
    <>
      <p class="row">
        <Badge tone={tone}>{word}</Badge>
        {until !== undefined && (
          <span>
            until <Time value={until} />
          </span>
        )}
        <span class="hint">
          from {source}
          {changedBy !== undefined && (
            <>
              {' '}
              by <Actor value={changedBy} />
            </>
          )}{' '}
          {changedAt !== undefined && <Time value={changedAt} isRelative />}
        </span>
      </p>
      <p>
        Deprecated since {rule.deprecatedSince}
        {rule.sunset !== undefined && `, sunset ${rule.sunset}${rule.refuseAfterSunset ? ', refused then' : ''}`}
      </p>
      {(rule.brownOuts ?? []).map((each) => (
        <p key={JSON.stringify(each)}>
          Brown-out: {each.every ?? ''} {each.from} to {each.to}{' '}
          {each.timeZone ?? (each.every === undefined ? '' : 'UTC')}
        </p>
      ))}
      {exemptions.map(({ credential, username, exemptedBy }) => (
        <div class="row" key={credential}>
          <Badge tone="info">exempt</Badge> <Credential id={credential} />
          {exemptedBy === undefined ? (
            <span class="hint">by the configuration</span>
          ) : (
            onEnd !== undefined && (
              <Button
                kind="quiet"
                label={`End the exemption of ${username ?? credential}`}
                onClick={() => onEnd(credential)}
              >
                End
              </Button>
            )
          )}
        </div>
      ))}
    </>
  );
}

interface OpenDialogProps {
  readonly open: Open;
  readonly credentials: Known['credentials'];
  readonly act: (path: string, body: object) => void;
  readonly onClose: () => void;
}

function OpenDialog({ open, credentials, act, onClose }: OpenDialogProps) {
  if ('form' in open) {
    const { form } = open;
    const save = (rule: object): void =>
      form === 'new'
        ? act('/callers/deprecations', { rule })
        : act(pathOf`/callers/deprecations/${form.id}`, { rule, seen: form.revision });
    return <RuleForm {...(form !== 'new' && { before: form.rule })} onClose={onClose} onSave={save} />;
  }
  if ('exempt' in open) {
    const exempt = (credential: string): void =>
      act(pathOf`/callers/deprecations/${open.exempt.id}/exempt`, { credential });
    return <ExemptDialog credentials={credentials} onClose={onClose} onExempt={exempt} />;
  }
  const { id, calls, revision } = open.remove;
  return (
    <Confirm
      title="End this deprecation?"
      action="End it"
      isDangerous
      onClose={onClose}
      onConfirm={() => act(pathOf`/callers/deprecations/${id}/remove`, { seen: revision })}
    >
      <p>
        Its calls are served again within two seconds, and say nothing. Its exemptions go with it:{' '}
        <Text value={calls} />.
      </p>
    </Confirm>
  );
}

interface ExemptProps {
  readonly credentials: Known['credentials'];
  readonly onExempt: (credential: string) => void;
  readonly onClose: () => void;
}

function ExemptDialog({ credentials, onExempt, onClose }: ExemptProps) {
  const [credential, setCredential] = useState(credentials[0]?.id ?? '');
  return (
    <Confirm
      title="Exempt a caller"
      action="Exempt"
      disabled={credential === ''}
      onClose={onClose}
      onConfirm={() => onExempt(credential)}
    >
      <p>Its calls are served, and answers say nothing.</p>
      <SelectField
        label="Credential"
        value={credential}
        onChange={setCredential}
        options={credentials.map(({ id, username, tenant }) => ({ value: id, text: username ?? `${id} (${tenant})` }))}
      />
    </Confirm>
  );
}
