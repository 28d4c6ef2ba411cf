/** Opens the exports of traces and metrics: their packages are loaded only where the standard variables name a receiver. */
import { isConfigured, type Telemetry, type TelemetryParts } from './telemetry.ts';

/** Returns undefined where the variables name no receiver, and where the packages are not installed, which is logged. */
export async function openTelemetry(parts: TelemetryParts): Promise<Telemetry | undefined> {
  const { variables, log } = parts;
  if (!isConfigured(variables)) return undefined;
  try {
    const { startExports } = await import('./start-exports.ts');
    return startExports(parts);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw thrown;
    log.write('error', 'OpenTelemetry is not installed: docs/operations.md names its packages', {
      cause: (thrown as Error).message,
    });
    return undefined;
  }
}
