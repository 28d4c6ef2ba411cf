/** A member of a fault, or of a span of time, that cannot be. */
export class InvalidMember extends TypeError {
  readonly member: string;
  constructor(member: string, message: string) {
    super(`${member}: ${message}`);
    this.member = member;
  }
}

/** Throws InvalidMember for the first member that is not among `names`. */
export function checkMembers(value: object, names: readonly string[]): void {
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new InvalidMember(unknown, names.length === 0 ? 'no member is expected' : `is not one of ${names.join(', ')}`);
}

/** Throws InvalidMember unless the value is absent or a number within the bounds. */
export function checkNumber(member: string, value: unknown, min: number, max: number): void {
  if (value === undefined || (typeof value === 'number' && value >= min && value <= max)) return;
  throw new InvalidMember(member, `is not a number from ${min} to ${max}`);
}
