/** The client credentials (OAuth 2) with which the gateway gets tokens for the upstream of a sourced contract. */
import { type UpstreamOptions, upstreamUrlHint } from '../../../backend/index.ts';
import { CommandError } from '../command-error.ts';
import type { ClientFlags } from '../project-upstreams.ts';
import { type ContractSource, mayName, type SourcedService, useOf } from './source.ts';

const secretVariable = 'OAUTH2_CLIENT_SECRET';

/** Those that are given. */
export function clientFlagsOf({ oauth2Client, oauth2SecretFile, oauth2TokenUrl, oauth2Scope }: ClientFlags) {
  return [oauth2Client, oauth2SecretFile, oauth2TokenUrl, oauth2Scope].filter((each) => each !== undefined);
}

/** `upstream`: the address of the server. Returns undefined without `--oauth2-client`. Throws CommandError for a token endpoint that is missing, or is none that the document may name. */
export function clientOf(
  { location: document }: ContractSource,
  { tokenUrl: declared }: SourcedService,
  upstream: string,
  flags: ClientFlags,
): UpstreamOptions['credentials'] | undefined {
  const { oauth2Client: clientId, oauth2SecretFile: file, oauth2TokenUrl: given, oauth2Scope: scope } = flags;
  if (clientId === undefined) {
    if (clientFlagsOf(flags).length === 0) return undefined;
    throw new CommandError(['the options --oauth2-... belong to --oauth2-client: give the name of the client, too.']);
  }
  const named = given ?? declared;
  if (named === undefined)
    throw new CommandError([`${document} names no token endpoint for a client: give it in --oauth2-token-url.`]);
  const tokenUrl = URL.canParse(named, upstream) ? new URL(named, upstream).href : named;
  const hint = upstreamUrlHint(tokenUrl, { allowsQuery: true });
  if (hint !== undefined) throw new CommandError([`the token endpoint ${tokenUrl} ${hint}.`]);
  const { protocol, hostname } = new URL(tokenUrl);
  if (protocol === 'http:' && useOf(hostname) === undefined)
    throw new CommandError([`the token endpoint ${tokenUrl} is plain http: the secret would be sent in clear.`]);
  if (given === undefined && !mayName(document, hostname))
    throw new CommandError([
      `${document} says that tokens are at ${new URL(tokenUrl).origin}, which means another server there than here: give it in --oauth2-token-url.`,
    ]);
  const clientSecret = file === undefined ? { env: secretVariable } : { file };
  return { oauth2: { tokenUrl, clientId, clientSecret, ...(scope !== undefined && { scope }) } };
}
