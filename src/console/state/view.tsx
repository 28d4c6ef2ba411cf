/** The state of the gateway, in sections that each have an address. */
import type { ComponentType } from 'preact';
import { PendingSection } from '../idempotency/pending.tsx';
import { RecordsSection } from '../idempotency/records.tsx';
import { Empty, OfAllTenants, Page, Section, type ViewProps } from '../page/components/index.ts';
import { Link, useRoute } from '../page/routing.tsx';
import { JobsSection, WebhooksSection } from '../webhooks/sections.tsx';
import { AuditSection } from './audit.tsx';
import { KeysSection } from './keys.tsx';
import { ProcessesSection, ServicesSection, StoreSection, UpstreamsSection } from './parts.tsx';
import { type StateSection, stateSections } from './sections.tsx';
import { SettingsSection } from './settings.tsx';

const contents: Readonly<Record<StateSection, ComponentType<ViewProps>>> = {
  webhooks: WebhooksSection,
  records: RecordsSection,
  pending: PendingSection,
  jobs: JobsSection,
  services: ServicesSection,
  upstreams: UpstreamsSection,
  store: StoreSection,
  processes: ProcessesSection,
  keys: KeysSection,
  settings: SettingsSection,
  audit: AuditSection,
};

const noWebhooks = 'This gateway has no database, so it sends no webhooks.';
const noJobs = 'This gateway has no database, so no work waits after an answer.';

/** Why a section is empty, by where idempotency records are. */
const reasons: Partial<
  Readonly<Record<StateSection, Partial<Readonly<Record<ViewProps['gateway']['records'], string>>>>>
> = {
  webhooks: { redis: noWebhooks, nowhere: noWebhooks },
  records: { nowhere: 'This gateway stores no records: the servers behind it recognize a retry by its key.' },
  pending: { nowhere: 'This gateway stores no requests: only the servers behind it know what a lost answer was.' },
  jobs: { redis: noJobs, nowhere: noJobs },
};

export default function StateView(props: ViewProps) {
  const { rest } = useRoute();
  const selected = stateSections.find(({ name }) => name === rest[0]) ?? stateSections[0];
  const Content = contents[selected.name];
  const { title, isOfAll } = selected;
  const { boundTenant } = props;
  const reason = reasons[selected.name]?.[props.gateway.records];
  return (
    <Page title="State" lead="What the gateway stores, waits for and is configured with. Secrets are never shown.">
      <ul class="subviews" aria-label="Sections">
        {stateSections
          .filter((each) => boundTenant === undefined || !each.isOfAll)
          .map((each) => (
            <li key={each.name}>
              <Link to={`/state/${each.name}`} current={each === selected}>
                {each.title}
              </Link>
            </li>
          ))}
      </ul>
      {boundTenant !== undefined && isOfAll ? (
        <OfAllTenants />
      ) : reason === undefined ? (
        <Content {...props} />
      ) : (
        <Section title={title}>
          <Empty title={reason} />
        </Section>
      )}
    </Page>
  );
}
