/** `triglyph deprecations exempt`: exempts a credential, or ends that. */
import { systemUser } from '../audited-command.ts';
import { print } from '../output.ts';
import { credentialNames, withAdmin } from './set.ts';

export async function exempt(id: string, given: string, { end }: { readonly end?: boolean }): Promise<void> {
  await withAdmin(async (admin, backend) => {
    const credential = (await credentialNames(backend)).get(given) ?? given;
    if (end) await admin.endExemption(id, credential, systemUser());
    else await admin.exempt(id, credential, systemUser());
    print(end ? `${id} concerns ${credential} again.` : `${credential} is exempt from ${id}.`);
  });
}
