/** Copies the entries of the audit log to a file or a syslog server, in their order; retries what failed with the next batch. */
import { hostname } from 'node:os';
import type { AuditEntry } from '../chain.ts';
import { openFile } from './file.ts';
import { openStream, openUdp } from './syslog.ts';
import type { CopyTarget, LineTarget } from './target.ts';

export interface AuditCopy {
  /** Neither waits nor throws. */
  write(entries: readonly AuditEntry[]): void;
  /** Replaces the listener for failures. At first there is none. */
  listen(events: CopyEvents): void;
  /** Waits for what was written before, at most `msMax`. */
  close(msMax?: number): Promise<void>;
}

export interface CopyEvents {
  /** A batch was not written. The next one writes it again. */
  failed(thrown: unknown): void;
  /** Entries for which there was no place in memory. The log in the store has them. */
  dropped(entries: number): void;
}

/** Lines in memory while the target takes none. */
const waitingMax = 10_000;
const closeMsMax = 1_000;

export function openAuditCopy(target: CopyTarget): AuditCopy {
  const format = target.kind === 'file' ? formatEntry : formatSyslog;
  const lines = openTarget(target);
  let events: CopyEvents = { failed: () => {}, dropped: () => {} };
  let waiting: readonly string[] = [];
  let writing: Promise<void> | undefined;
  const writeAll = async (): Promise<void> => {
    try {
      while (waiting.length > 0) {
        const taken = waiting;
        await lines.write(taken);
        waiting = waiting.slice(taken.length);
      }
    } catch (thrown) {
      events.failed(thrown);
    } finally {
      writing = undefined;
    }
  };
  return Object.freeze<AuditCopy>({
    write(entries) {
      const place = waitingMax - waiting.length;
      if (entries.length > place) events.dropped(entries.length - place);
      waiting = [...waiting, ...entries.slice(0, Math.max(place, 0)).map(format)];
      writing ??= writeAll();
    },
    listen(listener) {
      events = listener;
    },
    async close(msMax = closeMsMax) {
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, msMax);
      await Promise.race([writing, late]);
      clearTimeout(timer);
      lines.close();
    },
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
