/** The part of `triglyph keys rotate` and `status` for the pepper. */
import type { PepperRotation } from '../../backend/backend.ts';

const namedMax = 20;

/** Says which credentials still need the second pepper; nothing where there is none. */
export async function pepperLines({ state, findCredentials }: PepperRotation): Promise<readonly string[]> {
  switch (state) {
    case undefined:
      return [];
    case 'next':
      return ['pepper-next  on standby: triglyph keys use FILE pepper, when every server knows it'];
    case 'old': {
      const left = await findCredentials();
      if (left.length === 0) return ['pepper-old  needed by no credential: its line may be removed'];
      const named = left.slice(0, namedMax).map(({ tenant, credential_id: id }) => `  ${tenant} ${id}`);
      const more = left.length > namedMax ? [`  and ${left.length - namedMax} more`] : [];
      return [
        `pepper-old  needed by ${left.length} credentials, until each is used, rotated or revoked:`,
        ...named,
        ...more,
      ];
    }
    default:
      return state satisfies never;
  }
}
