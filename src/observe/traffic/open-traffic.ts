/** Opens the recorder of traffic where there is a console to show it; else its code is not loaded. */
import type { Config } from '../../config/config.ts';
import type { Traffic, TrafficParts } from './create-traffic.ts';

export async function openTraffic(config: Config, parts: TrafficParts): Promise<Traffic | undefined> {
  if (!config.console || config.traffic === 'off') return undefined;
  const { createTraffic } = await import('./create-traffic.ts');
  return createTraffic(config, parts);
}
