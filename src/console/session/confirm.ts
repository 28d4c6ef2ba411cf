/** Checks the person of a session once more, before a secret is issued or rights are given: by a code of the second factor, or else by the secret. */
import type { PresentedSecret } from '../../access/index.ts';
import type { Caller } from '../../core/contract/index.ts';
import { clock } from '../../core/lib/index.ts';
import { type OwnProof, refuse } from '../../operators/index.ts';
import type { ConsoleContext } from '../console-context.ts';

/** Throws refusedAction for a missing or wrong proof, and tooManyRequests after too many wrong ones, which count as log-ins do. */
export async function confirmPerson(
  { backend, guard, demoControls }: ConsoleContext,
  { credential: id, tenant }: Caller,
  { ownSecret, ownCode }: OwnProof,
): Promise<void> {
  const { registry, credentials, secondFactors, context } = backend;
  const own = (await registry.listCredentials()).find((each) => each.id === id);
  const hasFactor = own?.secondFactorAt !== undefined;
  const given = hasFactor ? ownCode : ownSecret;
  if (own === undefined || given === undefined)
    refuse(`confirm it with ${hasFactor ? 'a new code of your app, as ownCode' : 'your own secret, as ownSecret'}`);
  const attempt = { name: own.username ?? id, secret: given, hasCode: hasFactor };
  guard.check(attempt);
  const isRight = hasFactor
    ? (await secondFactors.use(tenant, id, given, (demoControls ? clock : context.clock).now())) === 'accepted'
    : await hasSecret(credentials, presentedBy(own, given), id);
  if (isRight) return;
  await guard.refused(attempt, { refusal: hasFactor ? 'secondFactor' : 'wrongSecret', credential: id, tenant });
  refuse(`${hasFactor ? 'ownCode' : 'ownSecret'} is wrong`);
}

function presentedBy(
  { kind, username }: { readonly kind: string; readonly username?: string | undefined },
  secret: string,
): PresentedSecret {
  return kind === 'basic' && username !== undefined ? { kind, username, secret } : { kind: 'apiKey', secret };
}

/** The log-in has checked from where the credential may be used. */
async function hasSecret(
  credentials: ConsoleContext['backend']['credentials'],
  presented: PresentedSecret,
  id: string,
): Promise<boolean> {
  const verification = await credentials.verify(presented);
  if (verification.caller !== undefined) return verification.caller.credential === id;
  const { refusal, credential } = verification;
  return credential === id && refusal !== 'unknownName' && refusal !== 'wrongSecret' && refusal !== 'expired';
}
