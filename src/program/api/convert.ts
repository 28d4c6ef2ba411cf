/** The conversion of messages, as programs call it. */

import type { GatewayService } from '../../backend/index.ts';
import { type Conversion, type Convert, type ConvertOptions, createConverter } from '../../convert/index.ts';
import type { Service } from '../../core/contract/index.ts';
import { servicesOf } from '../../core/gateway/index.ts';

/** The services whose messages are converted, and the message. */
export interface ConversionOptions extends ConvertOptions {
  /** Services, or contracts of services. */
  readonly services: readonly (Service | GatewayService)[];
}

/**
 * Converts a message to other wire formats, by way of its canonical form, and says what that changes. Throws ConversionError for
 * a message that is malformed or does not say what it is. Fields that are wrong are `issues`.
 */
export function convert({ services, ...options }: ConversionOptions): Conversion {
  let converter = converters.get(services);
  if (converter === undefined) {
    converter = createConverter(services.flatMap((each) => ('kind' in each ? servicesOf([each]) : [each])));
    converters.set(services, converter);
  }
  return converter(options);
}

/** Programs convert many messages of the same services. */
const converters = new WeakMap<ConversionOptions['services'], Convert>();
