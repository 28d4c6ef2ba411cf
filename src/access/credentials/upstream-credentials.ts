/** Stores the sealed credentials that callers have at upstreams. */

import type { Sealed, SealScope } from '../../core/vault/index.ts';
import { type Engine, fieldsOf, prepareUpsert, type RowOf, statement } from '../../stores/index.ts';
import { upstreamCredentials } from '../tables.ts';

/** A credential at an upstream, for one credential of a caller. */
export interface UpstreamCredential {
  /** The name of the upstream. */
  readonly upstream: string;
  /** The id of the caller's credential. */
  readonly credentialId: string;
  /** How the upstream receives it. */
  readonly kind: string;
  readonly sealed: Sealed;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

export type UpstreamCredentialStore = ReturnType<typeof createUpstreamCredentialStore>;

/** The upstream is the owner of the record: two upstreams cannot exchange their credentials. */
export function upstreamCredentialScope(upstream: string, credentialId: string): SealScope {
  return { tenant: upstream, record: `upstream credential ${credentialId}` };
}

type CredentialRow = RowOf<typeof upstreamCredentials>;

const set = prepareUpsert('set-upstream-credential', upstreamCredentials);
const find = statement<CredentialRow>(
  'find-upstream-credential',
  'select * from upstream_credential where upstream = $1 and credential_id = $2',
);
const list = statement<CredentialRow>(
  'list-upstream-credentials',
  'select * from upstream_credential order by upstream, credential_id',
);
const remove = statement(
  'remove-upstream-credential',
  'delete from upstream_credential where upstream = $1 and credential_id = $2',
);

export function createUpstreamCredentialStore(engine: Engine) {
  return Object.freeze({
    /** Adds a credential, or replaces it. */
    set: ({
      sealed: { payload: sealedCredential = '', ...sealed },
      ...credential
    }: UpstreamCredential): Promise<void> =>
      engine.write((session) => set(session, { ...credential, ...sealed, sealedCredential })),
    find: (upstream: string, credentialId: string): Promise<UpstreamCredential | undefined> =>
      engine.read(async (session) => {
        const [row] = await session.query(find, [upstream, credentialId]);
        return row && credentialOf(row);
      }),
    /** Sorted by upstream, then by the id of the caller's credential. */
    list: (): Promise<readonly UpstreamCredential[]> =>
      engine.read(async (session) => (await session.query(list, [])).map(credentialOf)),
    /** Returns false where there is none. */
    remove: (upstream: string, credentialId: string): Promise<boolean> =>
      engine.write(async (session) => (await session.execute(remove, [upstream, credentialId])) > 0),
  });
}

function credentialOf(row: CredentialRow): UpstreamCredential {
  const { keyId, dataKey, sealedCredential: payload, ...credential } = fieldsOf(row);
  return { ...credential, sealed: { keyId, dataKey, payload } };
}
