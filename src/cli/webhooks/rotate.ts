/** `triglyph webhooks rotate`: issues a new key for an endpoint. The old one signs as well for a time. */
import type { Endpoint } from '../../jobs/webhooks/ports.ts';
import { createSigningKey, openKeys, sealKeys } from '../../jobs/webhooks/signing-keys.ts';
import { CommandError } from '../command-error.ts';
import { formatMinute, print } from '../output.ts';
import { withBackend } from '../with-backend.ts';

export interface RotateOptions {
  /** In minutes. */
  readonly grace: number;
  readonly json?: boolean;
}

export async function rotateKey(id: string, { grace, json }: RotateOptions): Promise<void> {
  const nextKey = createSigningKey();
  const until = await withBackend(async ({ endpoints, context: { vault, clock } }) => {
    const rotatingUntil = grace === 0 ? undefined : clock.now() + grace * 60_000;
    // The key that receivers know stays the first one, also where a rotation is under way.
    const seal = (endpoint: Endpoint) =>
      sealKeys(vault, endpoint, grace === 0 ? { key: nextKey } : { key: openKeys(vault, endpoint).key, nextKey });
    const isFound = await endpoints.rotate(id, { rotatingUntil, seal });
    if (!isFound)
      throw new CommandError([`no endpoint has the id ${id}: \`triglyph webhooks endpoint list\` prints them`]);
    return rotatingUntil;
  });
  if (json) print(JSON.stringify({ id, key: nextKey, ...(until !== undefined && { rotatingUntil: until }) }));
  else
    print(
      `key       ${nextKey}`,
      `endpoint  ${id}`,
      until === undefined
        ? 'The key before it signs no more.'
        : `Until ${formatMinute(until)} the key before it signs HmacSignature, and this one HmacSignatureNext.`,
      'The key is printed only once.',
    );
}
