/** The built-in services as a program adds them to a gateway, with the data and credentials of the demo or without. */

import type { GatewayService } from '../../../backend/index.ts';
import { balancePlatform, builtInServices, recurring } from '../../../payments/index.ts';
import type { GatewayOptions } from '../../app/create-gateway.ts';
import { seed } from './seed.ts';

/** The options of `builtIn`. */
export interface BuiltInOptions {
  /** Saves the merchant accounts, shoppers, credentials and balance platform of the demo. By default true. */
  readonly demoData?: boolean;
}

/** Returns the options of a gateway that serves the payments interface. */
export function builtIn({ demoData = true }: BuiltInOptions = {}): Pick<GatewayOptions, 'services'> {
  return { services: demoData ? [recurring, seededPlatform] : builtInServices };
}

/** The service that is opened last saves the data of both. */
const seededPlatform: GatewayService = Object.freeze<GatewayService>({
  ...balancePlatform,
  open(server) {
    const opened = balancePlatform.open(server);
    return {
      ...opened,
      async prepare(credentials) {
        await opened.prepare(credentials);
        await seed({ ...server, registry: credentials }, 0);
      },
    };
  },
});
