/** Writes entries of the audit log to a file or a syslog server. */
import { open } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { AuditEntry } from '../chain.ts';
import { openStream, openUdp } from './syslog.ts';
import { type CopyTarget, type LineTarget, nameOfTarget } from './target.ts';

export type EntryWriter = ReturnType<typeof openEntryWriter>;

export function openEntryWriter(target: CopyTarget) {
  const format = target.kind === 'file' ? formatEntry : formatSyslog;
  const lines = openTarget(target);
  return Object.freeze({
    /** Tells targets apart. */
    name: nameOfTarget(target),
    /** Rejects where the target does not take the entries. Some may be written then. */
    write: (entries: readonly AuditEntry[]): Promise<void> => lines.write(entries.map(format)),
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

/** Appends lines to a file. Each batch opens the file, so that log rotation needs no signal. */
function openFile({ path, sync }: { readonly path: string; readonly sync: boolean }): LineTarget {
  return Object.freeze<LineTarget>({
    async write(lines) {
      const file = await open(path, 'a', 0o600);
      try {
        // One write: lines of several processes do not mix.
        await file.appendFile(`${lines.join('\n')}\n`);
        if (sync) await file.datasync();
      } finally {
        await file.close();
      }
    },
    close: () => {},
  });
}
