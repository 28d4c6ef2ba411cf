/** Writes entries of the audit log to a file or a syslog server. */
import { hostname } from 'node:os';
import type { AuditEntry } from '../chain.ts';
import { openFile } from './file.ts';
import { openStream, openUdp } from './syslog.ts';
import { type CopyTarget, type LineTarget, nameOfTarget } from './target.ts';

export interface EntryWriter {
  /** Tells targets apart. */
  readonly name: string;
  /** Rejects where the target does not take the entries. Some may be written then. */
  write(entries: readonly AuditEntry[]): Promise<void>;
  close(): void;
}

export function openEntryWriter(target: CopyTarget): EntryWriter {
  const format = target.kind === 'file' ? formatEntry : formatSyslog;
  const lines = openTarget(target);
  return Object.freeze<EntryWriter>({
    name: nameOfTarget(target),
    write: (entries) => lines.write(entries.map(format)),
    close: lines.close,
  });
}

/** One line of JSON, without its end. */
export function formatEntry(entry: AuditEntry): string {
  const { sequence, recordedAt, kind, actorType, actor, subject, detail, process, mac } = entry;
  const members = { sequence, time: new Date(recordedAt).toISOString(), kind, actorType, actor, subject };
  return JSON.stringify({ ...members, detail: JSON.parse(detail) as object, process, mac });
}

/** Facility 13 (log audit), severity 5 (notice). */
const priority = 13 * 8 + 5;

/** RFC 5424, with the entry as JSON. The message is in ASCII, so it needs no byte order mark. */
function formatSyslog(entry: AuditEntry): string {
  const { recordedAt, kind, process: writer } = entry;
  const json = formatEntry(entry).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const pid = /\d+$/.exec(writer)?.[0] ?? '-';
  return `<${priority}>1 ${new Date(recordedAt).toISOString()} ${hostname()} triglyph ${pid} ${kind} - ${json}`;
}

function openTarget(target: CopyTarget): LineTarget {
  switch (target.kind) {
    case 'file':
      return openFile(target);
    case 'udp':
      return openUdp(target);
    case 'tcp':
    case 'tls':
    case 'unix':
      return openStream(target);
    default:
      return target satisfies never;
  }
}
