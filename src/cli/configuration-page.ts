/** Generates docs/configuration.md from the settings. */
import type { Setting } from '../app/setting.ts';
import { settings } from '../app/settings.ts';

/** Returns the reference page of all settings. */
export function describeConfig(): string {
  const rows = Object.values<Setting<unknown>>(settings).map(tableRow);
  return `# Configuration

Settings come from the environment, then from a \`.env\` file in the working folder. An empty variable counts as absent.
\`triglyph check\` prints every setting without secrets, and every problem.

| variable | unit | default | meaning |
|---|---|---|---|
${rows.join('\n')}

A misspelt variable is refused: one that is not in this table and is close to a name in it (\`DRAIN_NOTICE_MSS\`), or that
starts with \`TRIGLYPH_\`, \`UPDATER_\`, \`DRAIN_\`, \`IDEMPOTENCY_\` or \`REMEMBERED_\`.

\`npm start\` refuses to start without keys, with a key file that others can read, on the demo's data folder, and, with
\`ENVIRONMENT=live\`, on a public address without a proxy in \`TRUSTED_PROXIES\` (the gateway serves plain HTTP: the proxy
terminates TLS). Each refusal says how to correct it. The demo serves 127.0.0.1, and another
address with \`--host\` only.
`;
}

function tableRow(row: Setting<unknown>): string {
  const secret = row.secret
    ? ` Secret; ${(row.fileNames ?? []).map((name) => `\`${name}\``).join(' or ')} may name a file instead.`
    : '';
  return `| \`${row.name}\` | ${row.unit} | ${defaultDescription(row)} | ${row.doc}${secret} |`;
}

function defaultDescription({ default: value }: Setting<unknown>): string {
  return (typeof value === 'object' ? value.description : value) || 'none';
}
