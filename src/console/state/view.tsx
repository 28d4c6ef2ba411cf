/** The state of the gateway, in sections that each have an address. */
import type { ComponentType } from 'preact';
import { Page, type ViewProps } from '../page/components/index.ts';
import { Link, useRoute } from '../page/routing.tsx';
import { AuditSection } from './audit.tsx';
import { KeysSection } from './keys.tsx';
import { ProcessesSection, ServicesSection, StoreSection, UpstreamsSection } from './parts.tsx';
import { PendingSection } from './pending.tsx';
import { RecordsSection } from './records.tsx';
import { SettingsSection } from './settings.tsx';
import { JobsSection, WebhooksSection } from './work.tsx';

interface StateSection {
  readonly name: string;
  readonly title: string;
  readonly content: ComponentType<ViewProps>;
}

const sections: readonly StateSection[] = [
  { name: 'webhooks', title: 'Webhooks', content: WebhooksSection },
  { name: 'records', title: 'Idempotency', content: RecordsSection },
  { name: 'pending', title: 'Pending requests', content: PendingSection },
  { name: 'jobs', title: 'Jobs', content: JobsSection },
  { name: 'services', title: 'Services', content: ServicesSection },
  { name: 'upstreams', title: 'Upstreams', content: UpstreamsSection },
  { name: 'store', title: 'Store', content: StoreSection },
  { name: 'processes', title: 'Processes', content: ProcessesSection },
  { name: 'keys', title: 'Keys', content: KeysSection },
  { name: 'settings', title: 'Settings', content: SettingsSection },
  { name: 'audit', title: 'Audit log', content: AuditSection },
];

export default function StateView({ mayAct }: ViewProps) {
  const { rest } = useRoute();
  const selected = sections.find(({ name }) => name === rest[0]) ?? sections[0]!;
  const { content: Content } = selected;
  return (
    <Page title="State" lead="What the gateway stores, waits for and is configured with. Secrets are never shown.">
      <ul class="subviews" aria-label="Sections">
        {sections.map((each) => (
          <li key={each.name}>
            <Link to={`/state/${each.name}`} current={each === selected}>
              {each.title}
            </Link>
          </li>
        ))}
      </ul>
      <Content mayAct={mayAct} />
    </Page>
  );
}
