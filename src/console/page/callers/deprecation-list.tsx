/** The deprecations that hold, with what may be done about them. */
import { useState } from 'preact/hooks';
import type {
  addDeprecation,
  endExemption,
  exemptCaller,
  listDeprecations,
  removeDeprecation,
} from '../../callers/deprecations.ts';
import { type Answer, type ApiError, pathOf, read, send, toApiError } from '../api.ts';
import {
  Badge,
  Button,
  Confirm,
  Dialog,
  Empty,
  ErrorBox,
  Loading,
  Notice,
  Section,
  SelectField,
  Text,
  Time,
  type Tone,
} from '../components/index.ts';
import { useQuery } from '../use-query.ts';
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

export function DeprecationList({ mayAct }: { readonly mayAct: boolean }) {
  const { value, error, reload } = useQuery(
    'deprecations',
    (signal) => read<typeof listDeprecations>('/callers/deprecations', {}, signal),
    { everyMs: 10_000 },
  );
  const [open, setOpen] = useState<Open>();
  const [failure, setFailure] = useState<ApiError>();
  const act = async (change: () => Promise<unknown>): Promise<void> => {
    try {
      await change();
      setFailure(undefined);
    } catch (thrown) {
      setFailure(toApiError(thrown));
    }
    setOpen(undefined);
    reload();
  };
  const close = () => setOpen(undefined);
  if (value === undefined) return error === undefined ? <Loading /> : <ErrorBox error={error} onRetry={reload} />;
  const { deprecations = [], invalid = [], credentials = [] } = value;
  return (
    <>
      <ErrorBox error={error ?? failure} onRetry={reload} />
      {mayAct ? (
        <div class="actions">
          <Button kind="primary" onClick={() => setOpen({ form: 'new' })}>
            Deprecate calls
          </Button>
        </div>
      ) : (
        <Notice>Only a credential with the role console-admin changes deprecations.</Notice>
      )}
      {invalid.map(({ id, faults }) => (
        <Notice key={id} tone="warning">
          {id} does not hold: <Text value={faults.join(' ')} />
        </Notice>
      ))}
      {deprecations.length === 0 && <Empty title="No call is deprecated" />}
      {deprecations.map((each) => (
        <Section
          key={each.id}
          title={<Text value={each.calls} />}
          actions={
            mayAct && (
              <>
                <Button label={`Exempt a caller from ${each.calls}`} onClick={() => setOpen({ exempt: each })}>
                  Exempt…
                </Button>
                {each.isStored && (
                  <>
                    <Button label={`Change ${each.calls}`} onClick={() => setOpen({ form: each })}>
                      Change…
                    </Button>
                    <Button kind="danger" label={`End ${each.calls}`} onClick={() => setOpen({ remove: each })}>
                      End…
                    </Button>
                  </>
                )}
              </>
            )
          }
        >
          <Facts
            deprecation={each}
            onEnd={
              mayAct
                ? (credential) =>
                    void act(() =>
                      send<typeof endExemption>('POST', pathOf`/callers/deprecations/${each.id}/endExemption`, {
                        credential,
                      }),
                    )
                : undefined
            }
          />
        </Section>
      ))}
      {open !== undefined && 'form' in open && (
        <RuleForm
          {...(open.form !== 'new' && { before: open.form.rule })}
          onClose={close}
          onSave={(rule) =>
            void act(() =>
              open.form === 'new'
                ? send<typeof addDeprecation>('POST', '/callers/deprecations', { rule })
                : send<typeof addDeprecation>('POST', pathOf`/callers/deprecations/${open.form.id}`, {
                    rule,
                    seen: open.form.revision,
                  }),
            )
          }
        />
      )}
      {open !== undefined && 'remove' in open && (
        <Confirm
          title="End this deprecation?"
          action="End it"
          isDangerous
          onClose={close}
          onConfirm={() =>
            void act(() =>
              send<typeof removeDeprecation>('POST', pathOf`/callers/deprecations/${open.remove.id}/remove`, {
                seen: open.remove.revision,
              }),
            )
          }
        >
          <p>
            Its calls are served again within two seconds, and say nothing. Its exemptions go with it:{' '}
            <Text value={open.remove.calls} />.
          </p>
        </Confirm>
      )}
      {open !== undefined && 'exempt' in open && (
        <ExemptDialog
          credentials={credentials}
          onClose={close}
          onExempt={(credential) =>
            void act(() =>
              send<typeof exemptCaller>('POST', pathOf`/callers/deprecations/${open.exempt.id}/exempt`, { credential }),
            )
          }
        />
      )}
    </>
  );
}

function Facts({
  deprecation,
  onEnd,
}: {
  readonly deprecation: Deprecation;
  readonly onEnd: ((credential: string) => void) | undefined;
}) {
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
          {changedBy !== undefined && ` by ${changedBy}`}{' '}
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
        <p class="row" key={credential}>
          <Badge tone="info">exempt</Badge> <Text value={username ?? credential} />
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
        </p>
      ))}
    </>
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
    <Dialog title="Exempt a caller" onClose={onClose}>
      <p>Its calls are served, and answers say nothing.</p>
      <SelectField
        label="Credential"
        value={credential}
        onChange={setCredential}
        options={credentials.map(({ id, username, tenant }) => ({ value: id, text: username ?? `${id} (${tenant})` }))}
      />
      <div class="actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" disabled={credential === ''} onClick={() => onExempt(credential)}>
          Exempt
        </Button>
      </div>
    </Dialog>
  );
}
