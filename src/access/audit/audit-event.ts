/** What the audit log records: who did what, to what. */

/** The person or program that caused an event. */
export type AuditActor =
  /** A caller, by the id of its credential. */
  | { readonly type: 'credential'; readonly name: string }
  /** The user of the operating system who ran a command. */
  | { readonly type: 'user'; readonly name: string }
  | { readonly type: 'gateway'; readonly name: 'gateway' };

/** A few short values. Secrets, card data and personal data do not belong here. */
export type AuditDetail = Readonly<Record<string, string | number | boolean | undefined>>;

/** All kinds of events with what their subject is, in the order of the documentation. */
export const auditKinds = Object.freeze([
  // The keyed hash of the name, or an address. Refusals are aggregated, with the number of attempts.
  'loginRefused',
  'loginLocked',
  // The id of the credential.
  'credentialMade',
  'credentialChanged',
  'credentialRotated',
  'credentialRevoked',
  // Its detail has the change: set, removed, recoveryCodesReplaced or recoveryCodeUsed.
  'secondFactorChanged',
  'credentialFirstUsed',
  'consoleLogin',
  // The view.
  'consoleView',
  // The operation.
  'consoleAction',
  // The id of the deprecation.
  'deprecationAdded',
  'deprecationChanged',
  'deprecationRemoved',
  'exemptionAdded',
  'exemptionRemoved',
  // The upstream.
  'shadowShareChanged',
  'shadowSwitched',
  'shadowSwitchedBack',
  // The id of the difference.
  'shadowDifferenceAccepted',
  'shadowDifferenceReopened',
  // The id of the key.
  'keyMade',
  'keyUsed',
  'keyRotated',
  // The operation that returned card data, or the command.
  'cardDataRead',
  // What was imported: the name of a file.
  'import',
  // What was exported.
  'export',
  // `settings`: those that differ from their defaults.
  'configuration',
  // The process, as `host pid`.
  'started',
  'stopped',
  // The command, as `credential add`.
  'command',
  // The limit.
  'limitReached',
  // The pending request. The detail has the upstream, and the result: `done` or `notDone`.
  'outcomeLookedUp',
  // The operation and the field.
  'secretFound',
  // What was destroyed: a kind of record.
  'destroyed',
  // The table, the tenant and the id of a row that was changed outside of the gateway.
  'rowAltered',
  // The table, or the table, the tenant and the id of one row.
  'rowsSigned',
  // `buffer`: events that had no place in memory. The detail has their number.
  'eventsLost',
  // `chain`: a process found the end of the log forged, or set back.
  'chainBroken',
] as const);

export type AuditKind = (typeof auditKinds)[number];

export interface AuditEvent {
  readonly kind: AuditKind;
  readonly actor: AuditActor;
  readonly subject: string;
  readonly detail?: AuditDetail;
}

export const gatewayActor: AuditActor = Object.freeze({ type: 'gateway', name: 'gateway' });

export function credentialActor(id: string): AuditActor {
  return { type: 'credential', name: id };
}

/** Returns an actor as one text: `credential cr_x`, or `user anna`. */
export function actorName({ type, name }: AuditActor): string {
  return `${type} ${name}`;
}
