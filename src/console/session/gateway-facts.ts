/** What every view of the page knows of the gateway: what it has none of, and what its callers need. Browser code reads these types. */

export interface GatewayFacts {
  /** Where idempotency records are. Without a database there are no webhooks, no jobs and no stored credentials. */
  readonly records: 'database' | 'redis' | 'nowhere';
  readonly recordsCallers: boolean;
  /** Whether callers need no credential of the gateway: theirs go to the server behind it. */
  readonly forwardsCredentials: boolean;
  /** Whether the documentation has pages about a service that it serves. */
  readonly hasGuides: boolean;
  /** The formats that carry some operation. */
  readonly formats: readonly string[];
}
