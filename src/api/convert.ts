/** The conversion of messages, as programs call it. */
import type { GatewayService } from '../app/create-gateway.ts';
import type { Service } from '../contract/service.ts';
import type { Conversion, ConvertOptions } from '../convert/conversion.ts';
import { type Convert, createConverter } from '../convert/convert.ts';

/** The services whose messages are converted, and the message. */
export interface ConversionOptions extends ConvertOptions {
  /** Contracts, services of one's own, or `builtIn().services`. */
  readonly services: readonly (Service | GatewayService)[];
}

/**
 * Converts a message to other wire formats, by way of its canonical form, and says what that changes. Throws ConversionError for
 * a message that is malformed or does not say what it is. Fields that are wrong are `issues`.
 */
export function convert({ services, ...options }: ConversionOptions): Conversion {
  let converter = converters.get(services);
  if (converter === undefined) {
    converter = createConverter(services.flatMap(contractsOf));
    converters.set(services, converter);
  }
  return converter(options);
}

/** Programs convert many messages of the same services. */
const converters = new WeakMap<ConversionOptions['services'], Convert>();

function contractsOf(service: Service | GatewayService): readonly Service[] {
  if (!('kind' in service)) return [service];
  switch (service.kind) {
    case 'service':
      return [...service.olderVersions, service.service];
    case 'bundle':
      return service.contracts;
    default:
      return service satisfies never;
  }
}
