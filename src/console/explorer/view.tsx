/** The explorer: selects an operation, or converts any message. */

import { Converter } from '../converter/converter.tsx';
import { pathOf } from '../page/api.ts';
import { Loaded, Page, SelectField, type ViewProps } from '../page/components/index.ts';
import { Link, navigate, useRoute } from '../page/routing.tsx';
import { useRead } from '../page/use-query.ts';
import type { describeExplorerOperation, listExplorerOperations } from './contract.ts';
import { OperationPage, operationPath } from './operation-page.tsx';
import type { Operations } from './types.tsx';

type Listed = Operations['operations'][number];

export default function ExplorerView(props: ViewProps) {
  const { rest } = useRoute();
  const isConverter = rest[0] === 'convert';
  const query = useRead<typeof listExplorerOperations>('/explorer/operations');
  return (
    <Page
      title={isConverter ? 'Converter' : 'Explorer'}
      lead={
        isConverter
          ? 'What a message is, and what it is in other formats.'
          : 'Every operation in every format. Edit one, and the others follow.'
      }
      actions={
        <>
          <Link to="/explorer" class="button" current={!isConverter}>
            Explorer
          </Link>
          <Link to="/explorer/convert" class="button" current={isConverter}>
            Converter
          </Link>
        </>
      }
    >
      <Loaded query={query}>
        {(operations) =>
          isConverter ? (
            <Converter operations={operations.operations} />
          ) : (
            <Explorer operations={operations} {...props} />
          )
        }
      </Loaded>
    </Page>
  );
}

function Explorer({
  operations: { operations, demoCredentials },
  ...props
}: ViewProps & {
  readonly operations: Operations;
}) {
  const { rest } = useRoute();
  const [service, version, operation] = rest;
  const first = operations.find((each) => each.isNewest) ?? operations[0];
  const found =
    service === undefined
      ? first
      : operations.find(
          (each) => each.service === service && each.operation === operation && answers(each, Number(version)),
        );
  const services = [...new Set(operations.map((each) => each.service))];
  const versions = operations.filter((each) => each.service === found?.service);
  const names = versions.filter((each) => each.version === found?.version);
  const open = (wanted: Listed | undefined): void => {
    if (wanted !== undefined) navigate(operationPath(wanted));
  };
  const inService = (name: string, of: readonly Listed[]): Listed | undefined =>
    of.find((each) => each.operation === name) ?? of[0];
  return (
    <>
      <div class="filters">
        <SelectField
          label="Service"
          value={found?.service ?? ''}
          options={services}
          onChange={(name) => open(operations.find((each) => each.service === name && each.isNewest))}
        />
        <SelectField
          label="Version"
          value={String(found?.version ?? '')}
          options={[...new Map(versions.map((each) => [each.version, each])).values()].map(
            ({ version: number, from, to }) => ({
              value: String(number),
              text: from === to ? `v${number}` : `v${number} (answers ${from} to ${to})`,
            }),
          )}
          onChange={(number) =>
            open(
              inService(
                found?.operation ?? '',
                versions.filter((each) => String(each.version) === number),
              ),
            )
          }
        />
        <SelectField
          label="Operation"
          value={found?.operation ?? ''}
          options={names.map((each) => each.operation)}
          onChange={(name) => open(names.find((each) => each.operation === name))}
        />
      </div>
      {found === undefined ? (
        <p>The gateway has no such operation.</p>
      ) : (
        <Described key={operationPath(found)} operation={found} demoCredentials={demoCredentials} {...props} />
      )}
    </>
  );
}

function answers({ from, to }: Listed, version: number): boolean {
  return from <= version && version <= to;
}

interface DescribedProps extends ViewProps {
  readonly operation: Listed;
  readonly demoCredentials: Operations['demoCredentials'];
}

function Described({ operation: { service, version, operation }, ...props }: DescribedProps) {
  const path = pathOf`/explorer/operations/${service}/${String(version)}/${operation}`;
  return (
    <Loaded query={useRead<typeof describeExplorerOperation>(path)}>
      {(described) => <OperationPage described={described} {...props} />}
    </Loaded>
  );
}
