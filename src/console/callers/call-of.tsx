/** How a call is named. */

interface ShownUse {
  readonly service?: string | undefined;
  readonly operation?: string | undefined;
  readonly version?: number | undefined;
}

export function callOf({ service, operation, version }: ShownUse): string {
  const name = [service, operation].filter((each) => each !== undefined).join('.') || 'unknown';
  return version === undefined ? name : `${name} v${version}`;
}
