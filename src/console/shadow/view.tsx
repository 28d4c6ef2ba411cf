/** Shadow: how the answers of the servers that replace upstreams differ, and which share they get and answer. */
import { useState } from 'preact/hooks';
import type { listShadowDifferences, listShadows } from '../../operators/index.ts';
import { type Answer, pathOf, send } from '../page/api.ts';
import {
  Actor,
  Badge,
  Button,
  type Column,
  Confirm,
  Empty,
  ErrorBox,
  Loaded,
  Notice,
  Page,
  Section,
  SelectField,
  Table,
  Text,
  TextField,
  Time,
  useTexts,
  type ViewProps,
} from '../page/components/index.ts';
import { useAction } from '../page/use-action.ts';
import { useRead } from '../page/use-query.ts';
import { AcceptDialog, DifferenceList } from './differences.tsx';

type Shadow = NonNullable<Answer<typeof listShadows>['shadows']>[number];
type Share = NonNullable<Shadow['shares']>[number];
type Difference = NonNullable<Answer<typeof listShadowDifferences>['differences']>[number];

type Open =
  | { readonly share: Shadow; readonly kind: 'share' | 'switch' }
  | { readonly back: Shadow }
  | { readonly accept: Difference };

const refreshMs = 2_000;

export default function ShadowView({ mayAct: mayActOnAll, gateway }: ViewProps) {
  const hasDatabase = gateway.records === 'database';
  const mayAct = mayActOnAll && hasDatabase;
  const shadows = useRead<typeof listShadows>('/shadow', {}, { everyMs: refreshMs });
  const found = useRead<typeof listShadowDifferences>('/shadow/differences', {}, { everyMs: refreshMs });
  const [open, setOpen] = useState<Open>();
  const action = useAction();
  const act = (path: string, body: object): void =>
    action.run(async () => {
      try {
        await send(path, body);
      } finally {
        setOpen(undefined);
        shadows.reload();
        found.reload();
      }
      return '';
    });
  return (
    <Page title="Shadow" lead="How the servers that replace upstreams answer, and who is answered by them.">
      <ErrorBox error={action.error} />
      {!mayAct && (
        <Notice>
          {hasDatabase
            ? 'Only a credential with the role console-admin accepts differences and moves callers.'
            : 'This gateway has no database: it copies by the share of its configuration, and switches nothing. Differences are those since its start.'}
        </Notice>
      )}
      <Loaded query={shadows}>
        {({ shadows: all = [] }) =>
          all.length === 0 ? (
            <Empty title="No upstream has a shadow">
              <p>The configuration file names one: upstreams, the name of the upstream, shadow.</p>
            </Empty>
          ) : (
            all.map((each) => (
              <Section
                key={each.upstream}
                title={each.upstream}
                actions={mayAct && <Actions shadow={each} open={setOpen} />}
              >
                <Summary shadow={each} />
              </Section>
            ))
          )
        }
      </Loaded>
      <Section title="Differences">
        <Loaded query={found}>
          {({ differences = [] }) => (
            <DifferenceList
              differences={differences}
              {...(mayAct && {
                onAccept: (accept: Difference) => setOpen({ accept }),
                onReopen: ({ id }: Difference) => act(pathOf`/shadow/differences/${id}/reopen`, {}),
              })}
            />
          )}
        </Loaded>
      </Section>
      {open !== undefined && <OpenDialog open={open} act={act} onClose={() => setOpen(undefined)} />}
    </Page>
  );
}

interface OpenDialogProps {
  readonly open: Open;
  readonly act: (path: string, body: object) => void;
  readonly onClose: () => void;
}

function OpenDialog({ open, act, onClose }: OpenDialogProps) {
  if ('accept' in open) {
    const { id } = open.accept;
    return (
      <AcceptDialog
        difference={open.accept}
        onClose={onClose}
        onAccept={(reason) => act(pathOf`/shadow/differences/${id}/accept`, { reason })}
      />
    );
  }
  if ('share' in open) {
    const { kind } = open;
    const { upstream } = open.share;
    const path = kind === 'share' ? pathOf`/shadow/${upstream}/share` : pathOf`/shadow/${upstream}/switch`;
    return <ShareDialog upstream={upstream} kind={kind} onClose={onClose} onSave={(body) => act(path, body)} />;
  }
  const { upstream } = open.back;
  return (
    <Confirm
      title="Switch back?"
      action="Switch back"
      isDangerous
      onClose={onClose}
      onConfirm={() => act(pathOf`/shadow/${upstream}/back`, {})}
    >
      <p>
        {upstream} answers everything again within two seconds. Retries of requests that its shadow had still go to the
        shadow.
      </p>
    </Confirm>
  );
}

interface ActionsProps {
  readonly shadow: Shadow;
  readonly open: (dialog: Open) => void;
}

function Actions({ shadow, open }: ActionsProps) {
  const { upstream, mayAnswer, shares = [] } = shadow;
  const isSwitched = shares.some(({ answered }) => answered !== undefined);
  return (
    <>
      <Button label={`Change the copies of ${upstream}`} onClick={() => open({ share: shadow, kind: 'share' })}>
        Copies…
      </Button>
      {mayAnswer && (
        <Button label={`Switch ${upstream}`} onClick={() => open({ share: shadow, kind: 'switch' })}>
          Switch…
        </Button>
      )}
      {isSwitched && (
        <Button kind="danger" label={`Switch back ${upstream}`} onClick={() => open({ back: shadow })}>
          Switch back…
        </Button>
      )}
    </>
  );
}

function Summary({ shadow }: { readonly shadow: Shadow }) {
  const { url, format, copied, copiesWrites, differing, accepted, shares = [] } = shadow;
  return (
    <>
      <p class="row">
        <Badge tone={differing === 0 ? 'good' : 'bad'}>
          {differing === 1 ? '1 kind of difference' : `${differing} kinds of differences`}
        </Badge>
        {accepted > 0 && <Badge tone="info">{accepted} accepted</Badge>}
        <span class="hint">
          {copied} % of {copiesWrites ? 'all requests' : 'the requests that read'} are copied to <Text value={url} /> (
          {format}), where no share says another number.
        </span>
      </p>
      {shares.length > 0 && (
        <Table
          caption={`Shares of ${shadow.upstream}`}
          columns={columns}
          rows={shares}
          keyOf={({ operation = '', caller = '' }) => `${operation} ${caller}`}
        />
      )}
    </>
  );
}

const columns: readonly Column<Share>[] = [
  { name: 'Operation', cell: ({ operation }) => (operation === undefined ? 'all' : <code>{operation}</code>) },
  { name: 'Caller', cell: ({ caller }) => (caller === undefined ? 'all' : <Text value={caller} />) },
  { name: 'Copied', cell: ({ copied }) => percentText(copied), align: 'end', narrow: true },
  { name: 'Answered', cell: ({ answered }) => percentText(answered), align: 'end', narrow: true },
  {
    name: 'Changed',
    cell: ({ changedAt, changedBy }) => (
      <>
        <Time value={changedAt} isRelative /> by <Actor value={changedBy} />
      </>
    ),
  },
];

function percentText(percent: number | undefined): string {
  return percent === undefined ? '' : `${percent} %`;
}

interface ShareDialogProps {
  readonly upstream: string;
  readonly kind: 'share' | 'switch';
  readonly onSave: (body: { readonly percent: number; readonly operation?: string; readonly caller?: string }) => void;
  readonly onClose: () => void;
}

const steps = ['0', '1', '10', '50', '100'];

function ShareDialog({ upstream, kind, onSave, onClose }: ShareDialogProps) {
  const { values, text, choice } = useTexts({ percent: '1', operation: '', caller: '' });
  const { percent, operation, caller } = values;
  const save = (): void =>
    onSave({
      percent: Number(percent),
      ...(operation !== '' && { operation }),
      ...(caller !== '' && { caller }),
    });
  const isSwitch = kind === 'switch';
  return (
    <Confirm
      title={isSwitch ? `Switch ${upstream}` : `Copies of ${upstream}`}
      action={isSwitch ? 'Switch' : 'Save'}
      isDangerous={isSwitch}
      onClose={onClose}
      onConfirm={save}
    >
      <p>
        {isSwitch
          ? 'The shadow answers this share of the callers instead of the upstream. Servers follow within two seconds.'
          : 'This share of the requests is copied to the shadow. Servers follow within two seconds.'}
      </p>
      <SelectField label="Percent" {...choice('percent')} options={steps} />
      <TextField label="Operation" {...text('operation')} placeholder="all" monospace />
      <TextField label="Caller" {...text('caller')} placeholder="all: an id or a username" />
    </Confirm>
  );
}
