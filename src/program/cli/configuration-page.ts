/** Generates docs/configuration.md from the settings. */
import { settingGroupsOf } from '../../backend/index.ts';
import { listSettings, type Setting } from '../../config/index.ts';
import { builtInServices } from '../../payments/index.ts';

/** Returns the reference page of all settings. */
export function describeConfig(): string {
  const rows = listSettings(settingGroupsOf(builtInServices)).map(({ row }) => tableRow(row));
  return `# Configuration

Settings come from the environment, then from a \`.env\` file in the working folder, then from the
[configuration file](#the-configuration-file). Each overrides those after it. An empty variable counts as absent.
\`triglyph check\` prints every problem, and with \`--settings\` every setting without secrets and with its source.

| variable | unit | default | meaning |
|---|---|---|---|
${rows.join('\n')}

A misspelt variable is refused. This is one that is close to a name in this table (\`DRAIN_NOTICE_MSS\`), or that starts with \`TRIGLYPH_\`, \`UPDATER_\`, \`DRAIN_\`,
\`IDEMPOTENCY_\` or \`REMEMBERED_\` and is not in it. Names of four letters are those of other programs, too: only \`PROT\` and \`PORTT\` are taken for \`PORT\`.

\`npm start\` refuses to start without keys, with a key file that others can read, and on the demo's data folder. With \`ENVIRONMENT=live\` it also refuses a public
address where nothing terminates TLS (neither \`TLS_CERT_FILE\` nor a proxy in \`TRUSTED_PROXIES\`). It then requires \`PUBLIC_URL\`, too: the \`Host\` of a request must not
decide what WSDL and OpenAPI documents say. Each refusal says how to correct it. The demo serves 127.0.0.1, and another address with \`--host\` only.

## The configuration file

\`triglyph.config.ts\`, \`triglyph.config.mjs\` or \`triglyph.config.json\` in the working folder, or the file that \`--config FILE\` names:

\`\`\`ts
import { defineConfig } from 'triglyph';
import { orders } from './orders.ts';

export default defineConfig({
  services: [orders],
  settings: { PORT: 8080, WSDL_SOAP12: false },
});
\`\`\`

| member | meaning |
|---|---|
| \`services\` | [Services of your own](services.md): what \`with\` of a contract returns. Served next to the built-in services. A JSON file has none. |
| \`builtIn\` | \`false\`: the built-in services are not served, and their settings do not exist. |
| \`settings\` | The settings of the table above, and the variables that name a file. A number or a text; \`true\` and \`false\` stand for \`on\` and \`off\`. |
| \`deprecations\` | The calls that are deprecated, for whom, and when they are refused: see [docs/callers.md](callers.md#deprecations). |
| \`upstreams\`, \`answeredBy\` | Other servers that answer operations, and which of them answers what: [in front of an existing server](upstreams.md). |

Unknown members and settings are refused. The file, and each file that it imports, may be an ES module or CommonJS, whatever the \`type\` of \`package.json\` says. Node strips
the types of a \`.ts\` file; it must be outside of \`node_modules\`. Relative paths, such as \`DATA_DIR\`,
start at the working folder.

Commands know the services of the file:

| command | with a service of your own |
|---|---|
| \`triglyph serve\`, \`triglyph demo\` | create its tables and serve it |
| \`triglyph migrate\` | creates its tables |
| \`triglyph credential add Acme --shop amsterdam\` | an option for each of its grants, which brings along the role; \`--role\` for a role without a grant |
| \`triglyph wsdl --service Orders\`, \`triglyph openapi --service Orders\` | print its documents |
| \`triglyph copy\` | copies its tables; each needs a primary key |
| \`triglyph check\` | names it |

Where a grant has the name of another option, such as \`kind\`, its option is \`--grant-kind\`.
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
