/** Balance platforms, as the store has them. */
import type { Infer } from '../../../contract/schema.ts';
import type { platformStatus } from './contract.ts';

export interface Platform {
  readonly id: string;
  /** The company that owns it. */
  readonly company: string;
  readonly description?: string | undefined;
  readonly status: Infer<typeof platformStatus>;
  /** The default of account holders. */
  readonly timeZone: string;
}
