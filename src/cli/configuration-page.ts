/** The reference page of all settings, printed from their rows. */
import { type Setting, settings } from '../app/settings.ts';

const defaultOf = ({ default: standard }: Setting<unknown>): string => {
  const said = typeof standard === 'object' ? standard.said : standard;
  return said === undefined || said === '' ? 'none' : said;
};

/** The reference page of all settings; `docs/configuration.md` holds it. */
export const describeConfig = (): string => {
  const rows = Object.values<Setting<unknown>>(settings).map((row) => {
    const secret = row.secret
      ? ` Secret; ${(row.fileNames ?? []).map((name) => `\`${name}\``).join(' or ')} may name a file instead.`
      : '';
    return `| \`${row.name}\` | ${row.unit} | ${defaultOf(row)} | ${row.doc}${secret} |`;
  });
  return `# Configuration

Settings come from the environment, then from a \`.env\` file in the working folder. An empty variable counts as absent.
\`triglyph check\` prints every setting as it stands, secrets hidden, and all that is wrong with them.

| variable | unit | default | meaning |
|---|---|---|---|
${rows.join('\n')}

A variable that starts with \`TRIGLYPH_\` and is not in this table is refused.

\`npm start\` refuses to start without keys, with a key file that others can read, on the demo's data folder, and, with
\`ENVIRONMENT=live\`, on a public address with no proxy named in \`TRUSTED_PROXIES\` (the gateway speaks plain HTTP: TLS ends
in front of it). Each refusal says how to mend it. The demo serves 127.0.0.1 only.
`;
};
