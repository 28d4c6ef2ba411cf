/** How probes name an upstream, and what they show while requests to it are refused. */

/** The name of its probe in /readyz. */
export function upstreamProbeName(upstream: string): string {
  return `upstream ${upstream}`;
}

/** Probes show the name of this error. */
export class CircuitOpen extends Error {
  override readonly name = 'CircuitOpen';
}
