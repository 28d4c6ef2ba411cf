/** The services that the simulation and the fault injection serve: the built-in ones, and the example that uses everything. */
import { type Shared, voucherService } from '../../examples/vouchers/vouchers.ts';
import { openBackend } from '../../src/backend/backend.ts';
import { settingGroupsOf } from '../../src/backend/compose-services.ts';
import type { GatewayService } from '../../src/backend/define-service.ts';
import { readConfig, type Variables } from '../../src/config/config.ts';
import { builtInServices } from '../../src/payments/index.ts';

const { tenants: _, ...definition } = voucherService.definition;
/** Beside the built-in ones it neither names the tenants nor finds secrets in texts: one service of a server does. */
export const vouchers: GatewayService<Shared> = {
  ...voucherService,
  definition,
  open: (server) => ({ ...voucherService.open(server), textScan: undefined }),
};

export const servedServices: readonly GatewayService[] = Object.freeze([...builtInServices, vouchers]);

/** Opens the backend of a server with these services. */
export async function openServed(variables: Variables = process.env) {
  const config = readConfig(
    'production',
    { VOUCHERS_PER_MINUTE_MAX: '1000000', ...variables },
    settingGroupsOf(servedServices),
  );
  return { config, backend: await openBackend(config, { exclusive: true }, servedServices) };
}
