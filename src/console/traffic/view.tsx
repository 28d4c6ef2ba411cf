/** Traffic: the requests as they are answered, their rates, and one of them with its details. */
import { useEffect, useRef } from 'preact/hooks';
import { OfAllTenants, Page, Section, type ViewProps } from '../page/components/index.ts';
import { useRoute } from '../page/routing.tsx';
import { RequestPage } from '../request/request.tsx';
import { LiveRequests } from './live-requests.tsx';
import { RatesSection } from './rates.tsx';

export default function TrafficView({ gateway, boundTenant }: ViewProps) {
  const { rest } = useRoute();
  const [id] = rest;
  const opened = useRef(id);
  useEffect(() => {
    // The link that was followed is gone: the keyboard and the page go on at the heading.
    if (opened.current !== id) document.querySelector<HTMLElement>('main h1')?.focus();
    opened.current = id;
  }, [id]);
  if (id !== undefined) return <RequestPage key={id} id={id} />;
  return (
    <Page
      title="Traffic"
      lead="Requests as they are answered. They are kept in memory only, and everything secret in them is masked."
    >
      <LiveRequests gateway={gateway} />
      {boundTenant === undefined ? (
        <RatesSection />
      ) : (
        <Section title="Rates and times by format">
          <OfAllTenants />
        </Section>
      )}
    </Page>
  );
}
