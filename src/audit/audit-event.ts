/** What the audit log records: who did what, to what. */

/** Who caused an event. */
export type AuditActor =
  /** A caller, by the id of its credential. */
  | { readonly type: 'credential'; readonly name: string }
  /** The user of the operating system who ran a command. */
  | { readonly type: 'user'; readonly name: string }
  | { readonly type: 'gateway'; readonly name: 'gateway' };

/** A few short values. Secrets, card data and personal data do not belong here. */
export type AuditDetail = Readonly<Record<string, string | number | boolean | undefined>>;

/** The subject of each kind of event. */
interface AuditSubjects {
  /** The keyed hash of the name. Callers record it aggregated, with the number of attempts. */
  readonly loginRefused: string;
  /** The keyed hash of the name, or an address. */
  readonly loginLocked: string;
  /** The id of the credential. */
  readonly credentialMade: string;
  readonly credentialChanged: string;
  readonly credentialRotated: string;
  readonly credentialRevoked: string;
  readonly credentialFirstUsed: string;
  /** The id of the credential. */
  readonly consoleLogin: string;
  /** The view. */
  readonly consoleView: string;
  /** The operation. */
  readonly consoleAction: string;
  /** The id of the deprecation. */
  readonly deprecationAdded: string;
  readonly deprecationChanged: string;
  readonly deprecationRemoved: string;
  readonly exemptionAdded: string;
  readonly exemptionRemoved: string;
  /** The id of the key. */
  readonly keyMade: string;
  readonly keyUsed: string;
  readonly keyRotated: string;
  /** The operation that returned card data, or the command. */
  readonly cardDataRead: string;
  /** What was imported: the name of a file. */
  readonly import: string;
  /** What was exported. */
  readonly export: string;
  /** The name of a setting. */
  readonly configuration: string;
  /** The process, as `host pid`. */
  readonly started: string;
  readonly stopped: string;
  /** The command, as `credential add`. */
  readonly command: string;
  /** The limit. */
  readonly limitReached: string;
  /** The operation and the field. */
  readonly cardNumberFound: string;
  /** What was destroyed: a kind of record. */
  readonly destroyed: string;
  /** The table, the tenant and the id of a row that was changed outside of the gateway. */
  readonly rowAltered: string;
  /** The table, or the table, the tenant and the id of one row. */
  readonly rowsSigned: string;
  /** `buffer`: events that had no place in memory. The detail has their number. */
  readonly eventsLost: string;
  /** `chain`: a process found the end of the log forged, or set back. */
  readonly chainBroken: string;
}

export type AuditKind = keyof AuditSubjects;

interface EventOf<K extends AuditKind> {
  readonly kind: K;
  readonly actor: AuditActor;
  readonly subject: AuditSubjects[K];
  readonly detail?: AuditDetail;
}

export type AuditEvent = { [K in AuditKind]: EventOf<K> }[AuditKind];

/** All kinds, in the order of the documentation. */
export const auditKinds = Object.freeze([
  'loginRefused',
  'loginLocked',
  'credentialMade',
  'credentialChanged',
  'credentialRotated',
  'credentialRevoked',
  'credentialFirstUsed',
  'consoleLogin',
  'consoleView',
  'consoleAction',
  'deprecationAdded',
  'deprecationChanged',
  'deprecationRemoved',
  'exemptionAdded',
  'exemptionRemoved',
  'keyMade',
  'keyUsed',
  'keyRotated',
  'cardDataRead',
  'import',
  'export',
  'configuration',
  'started',
  'stopped',
  'command',
  'limitReached',
  'cardNumberFound',
  'destroyed',
  'rowAltered',
  'rowsSigned',
  'eventsLost',
  'chainBroken',
] as const satisfies readonly AuditKind[]);

/** The gateway itself. */
export const gatewayActor: AuditActor = Object.freeze({ type: 'gateway', name: 'gateway' });

export function credentialActor(id: string): AuditActor {
  return { type: 'credential', name: id };
}
