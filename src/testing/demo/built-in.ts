/** The built-in services as a program adds them to a gateway, with the data and credentials of the demo or without. */

import type { BundledServices, GatewayOptions } from '../../app/create-gateway.ts';
import type { Backend } from '../../backend/backend.ts';
import type { Services } from '../../backend/service-set.ts';
import { type BuiltInServices, builtInServices } from '../../backend/services.ts';
import { services } from '../../services/index.ts';
import { seed } from './seed.ts';

/** The options of `builtIn`. */
export interface BuiltInOptions {
  /** Saves the merchant accounts, shoppers, credentials and balance platform of the demo. By default true. */
  readonly demoData?: boolean;
}

/** Returns the options of a gateway that serves the payments interface. */
export function builtIn({ demoData = true }: BuiltInOptions = {}): Pick<GatewayOptions, 'services'> {
  const bundle: BundledServices = {
    kind: 'bundle',
    contracts: services,
    set: builtInServices,
    async prepare(backend) {
      if (demoData) await seed(withBuiltIn(backend), 0);
    },
  };
  return { services: [bundle] };
}

/** The set of the bundle composes the built-in services, whatever a program adds to them. */
function withBuiltIn(backend: Backend<Services>): Backend {
  return backend as Backend<BuiltInServices>;
}
