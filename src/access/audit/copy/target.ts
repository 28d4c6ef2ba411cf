/** Where copies of the audit log go: a file, or a syslog server. */

export type CopyTarget =
  | {
      readonly kind: 'file';
      readonly path: string;
      /** Whether each batch is flushed to the disk. */
      readonly sync: boolean;
    }
  | { readonly kind: 'udp'; readonly host: string; readonly port: number }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'tls'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string };

/** Writes lines, all of them or none, as far as the target tells. */
export interface LineTarget {
  write(lines: readonly string[]): Promise<void>;
  close(): void;
}

/** Tells targets apart. */
export function nameOfTarget(target: CopyTarget): string {
  const { kind } = target;
  switch (kind) {
    case 'file':
    case 'unix':
      return `${kind}:${target.path}`;
    case 'udp':
    case 'tcp':
    case 'tls':
      return `${kind}://${target.host}:${target.port}`;
    default:
      return kind satisfies never;
  }
}

/** As the standards assign them; RFC 6587 has none of its own for TCP. */
const ports = { udp: 514, tcp: 601, tls: 6514 } as const;

/** Undefined for a text that names no target. */
export function parseCopyTarget(text: string): CopyTarget | undefined {
  const [, scheme, rest] = /^([a-z+]+):(.*)$/s.exec(text) ?? [];
  if (rest === undefined || rest.includes('\0')) return undefined;
  switch (scheme) {
    case 'file': {
      const [path = '', option] = rest.split('?');
      if (!path.startsWith('/') || path.endsWith('/') || path.startsWith('//')) return undefined;
      return option === undefined || option === 'sync=off'
        ? { kind: 'file', path, sync: option === undefined }
        : undefined;
    }
    case 'syslog+unix':
      return /^\/[^/]/.test(rest) ? { kind: 'unix', path: rest } : undefined;
    case 'syslog+udp':
    case 'syslog+tcp':
    case 'syslog+tls':
      return parseServer(scheme.slice('syslog+'.length) as keyof typeof ports, rest);
    default:
      return undefined;
  }
}

function parseServer(kind: keyof typeof ports, rest: string): CopyTarget | undefined {
  // The URL parser knows addresses in brackets and refuses wrong ports, for schemes that it knows.
  const address = `http:${rest}`;
  if (!rest.startsWith('//') || !URL.canParse(address)) return undefined;
  const { hostname, port, pathname, search, hash, username, password } = new URL(address);
  if (hostname === '' || pathname !== '/' || `${search}${hash}${username}${password}` !== '') return undefined;
  const given = /:(\d+)\/?$/.exec(rest)?.[1];
  const host = hostname.replace(/^\[|\]$/g, '');
  return { kind, host, port: given === undefined ? ports[kind] : Number(port || '80') };
}
