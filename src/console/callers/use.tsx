/** How a call is shown: its credential, its operation and its client. Texts of callers are text. */
import { Text } from '../page/components/index.ts';

interface ShownUse {
  readonly tenant?: string | undefined;
  readonly credential?: string | undefined;
  readonly username?: string | undefined;
  readonly service?: string | undefined;
  readonly operation?: string | undefined;
  readonly version?: number | undefined;
}

export function Credential({ username, credential, tenant }: ShownUse) {
  if (credential === undefined) return <span class="hint">without a valid credential</span>;
  return (
    <>
      <Text value={username ?? credential} />
      <div class="hint">
        <Text value={username === undefined ? (tenant ?? '') : credential} />
      </div>
    </>
  );
}

/** What a table of calls sorts by. */
export function nameOfCredential({ username, credential }: ShownUse): string {
  return username ?? credential ?? '';
}

export function callOf({ service, operation, version }: ShownUse): string {
  const name = [service, operation].filter((each) => each !== undefined).join('.') || 'unknown';
  return version === undefined ? name : `${name} v${version}`;
}
