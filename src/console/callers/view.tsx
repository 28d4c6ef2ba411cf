/** Callers: who still calls how, what they have to change, and when calls are refused. */

import { DeprecationList } from '../deprecations/deprecation-list.tsx';
import { Page, Tabs, type ViewProps } from '../page/components/index.ts';
import { navigate, useRoute } from '../page/routing.tsx';
import { CallerList } from './caller-list.tsx';
import { ReadinessList } from './readiness-list.tsx';
import { ReportPanel } from './report-panel.tsx';

const tabs = [
  { name: 'list', title: 'Callers' },
  { name: 'readiness', title: 'Readiness' },
  { name: 'report', title: 'Report' },
  { name: 'deprecations', title: 'Deprecations' },
] as const;

export default function CallersView({ mayAct: mayActAtAll, boundTenant, gateway }: ViewProps) {
  // Owners and deprecations are set by people who operate the gateway.
  const mayAct = mayActAtAll && boundTenant === undefined;
  const { rest } = useRoute();
  const selected = tabs.find(({ name }) => name === rest[0])?.name ?? 'list';
  return (
    <Page title="Callers" lead="Who still calls how, and what has to change before a format or a version can end.">
      <Tabs label="Callers" tabs={tabs} selected={selected} onSelect={(name) => navigate(`/callers/${name}`)}>
        {selected === 'list' && <CallerList gateway={gateway} />}
        {selected === 'readiness' && <ReadinessList gateway={gateway} />}
        {selected === 'report' && <ReportPanel mayAct={mayAct} />}
        {selected === 'deprecations' && <DeprecationList mayAct={mayAct} gateway={gateway} />}
      </Tabs>
    </Page>
  );
}
