/** Finds the credential that an upstream receives with a request. */
import { type AnyCaller, type AnyRequest, Problem } from '../../core/contract/index.ts';
import { forwardCredential, forwardInQuery, type UpstreamCredentials } from '../../forward/index.ts';
import { createMappedCredentials, type SealedCredentials } from './mapped-credentials.ts';
import type { NamedCaller } from './named-callers.ts';
import type { ConfiguredUpstream } from './read-upstream.ts';

/** `find` throws the refusal of a caller to whose credential none is mapped. */
export function createUpstreamCredentials(
  { name, credentials, soap }: ConfiguredUpstream,
  sealed: SealedCredentials,
  callers: readonly NamedCaller[],
): UpstreamCredentials {
  switch (credentials.kind) {
    case 'forward': {
      const isSentAsToken = soap?.security?.fromCredential !== undefined;
      const find = (request: AnyRequest) => forwardCredential(request, isSentAsToken);
      return { find, inQuery: forwardInQuery, areOfCaller: true, areForwarded: true };
    }
    case 'mapped': {
      const find = createMappedCredentials(sealed, name);
      const named = new Map(callers.map(({ caller, atUpstreams }) => [caller.credential, atUpstreams.get(name)]));
      const of = ({ credential }: AnyCaller) => named.get(credential) ?? find(credential);
      return { find: async ({ caller }) => (await of(caller)) ?? refuse(), areOfCaller: true };
    }
    case 'none':
      return { find: () => ({}), areOfCaller: false };
    case 'fixed':
      return { find: () => credentials.headers, areOfCaller: false };
    case 'client':
      return { find: () => ({}), areOfCaller: false, client: credentials.client };
    default:
      return credentials satisfies never;
  }
}

function refuse(): never {
  throw new Problem('notAllowed', 'Not allowed: this credential has none at the server behind the gateway', {
    reason: 'noUpstreamCredential',
  });
}
