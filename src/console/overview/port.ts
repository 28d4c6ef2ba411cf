/** What the first page of the console needs of the server. */
import type { Output } from '../../contract/operation.ts';
import type { listAttention } from './attention.ts';
import type { getOverview } from './contract.ts';

export interface OverviewPort {
  read(): Promise<Output<typeof getOverview>>;
  findAttention(): Promise<Output<typeof listAttention>>;
}
