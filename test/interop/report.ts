/** Writes `docs/clients.md`, and the servers in `docs/import-wsdl.md`, from the runs of `npm run interop`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DepotStack, Lack } from './depot-stacks.ts';
import { debianVersion } from './install.ts';
import type { OperationsOutcome } from './operations/run.ts';
import type { Outcome } from './run-client.ts';
import type { ServerOutcome } from './run-servers.ts';
import type { ShopStack } from './shop-stacks.ts';
import type { Document, Stack } from './stack.ts';
import { absent } from './stacks.ts';

const documents: Readonly<Record<Document, string>> = {
  V1: 'V1',
  'v1?wsdl': '`v1?wsdl`',
  V12: 'V12',
  '?wsdl': '`?wsdl`',
  '?wsdl&soap12=no': '`?wsdl&soap12=no`',
  'v68?wsdl': '`v68?wsdl`',
  'v68?wsdl&soap12=no': '`v68?wsdl&soap12=no`',
  none: 'none',
};

export function clientsPage(outcomes: readonly Outcome[]): string {
  const stacks = [...new Set(outcomes.map(({ stack }) => stack))];
  return `# Clients

These client stacks call the recurring service unchanged. The table is written by \`npm run interop -- --write\`, which runs every client
below against the demo. It writes nothing if one of them fails.

| stack | version | needs | stubs or document | key of a request |
|---|---|---|---|---|
${stacks.map((stack) => row(stack, outcomes)).join('\n')}

- \`V1\`: stubs of the document of version 1, \`/pal/Recurring.wsdl\`, at \`/pal/servlet/soap/Recurring\`, the address without a version.
  Stacks without this run have no client of version 1.
- \`v1?wsdl\`: the same types, with a binding of SOAP 1.2, at \`/pal/servlet/Recurring/v1\`.
- \`V12\`: stubs of a document with the types of version 12, as old callers have them, at \`/pal/servlet/Recurring/V12/\`.
- \`?wsdl\`: the document of this server, at \`/pal/servlet/Recurring/v25?wsdl\`. \`soap12=no\` leaves out the binding of SOAP 1.2.
- \`v68?wsdl\`: the document of the newest version, at \`/pal/servlet/Recurring/v68\`.

Every run makes the same calls. It stores a card and retries with the same key, and lists its detail and that of a bank account. It looks up a holder, lists an
unknown shopper, checks the card with the account updater, and disables the detail. Four errors follow. Version 1 has neither the lookup nor the updater: its
runs also call \`deactivateRecurring\`, and \`submitRecurring\`, which is refused. It compares:

| what | how |
|---|---|
| values | references, text outside of ASCII and with markup, dates as days, entries of \`additionalData\` |
| absent members | the stack sees nil: a detail without a card, a card without a security code |
| the key | the retry gets the first answer |
| errors | the text reaches the caller's exception: \`validation 800 Contract not found\`, \`security 901 Invalid Merchant Account\`, \`validation 129 Expiry Date Invalid\` |
| wrong credentials | the exception says so, or has the status 401 |

The merchants' library for Node, \`@adyen/api-library\` ${moduleVersion('@adyen/api-library')}, runs in \`npm test\`, for the recurring service and
the balance platform.

## A page per language

| language | page |
|---|---|
${pages.map(([title, page]) => `| ${title} | [${page}](clients/${page}) |`).join('\n')}

## Not run

Neither Debian nor npm has these, so no run covers them:

| stack | where it comes from |
|---|---|
${absent.map(([name, source]) => `| ${name} | ${source} |`).join('\n')}
`;
}

/** What is seen where a server cannot do it. */
const lacks: Readonly<Record<Lack, string>> = {
  'one-way': 'it has no operation without an answer: an empty answer, with 200',
  'data of faults': 'its WSDL does not declare the data of faults',
  'faults without a code':
    'exceptions have the code `generalException`, with which the text of their fault in SOAP begins',
  inheritance: 'no type of it extends another one',
  'faults without data': 'it adds the declared fault without data to any other one, so the fault is final',
  'faults of callers': 'it blames itself for every fault of the application, which has 500',
};

/** The servers, with what their callers have to know. */
export function serversTable(outcomes: readonly ServerOutcome<DepotStack>[]): string {
  const rows = outcomes.map(({ stack, calls }) => {
    const known = stack.lacks.map((lack) => lacks[lack]).join('; ');
    return `| ${stack.title} | ${versionOf(stack)} | ${calls} | ${known} |`;
  });
  return `| server | version | calls | what differs |\n|---|---|---:|---|\n${rows.join('\n')}`;
}

/** The servers behind `serve --openapi`. */
export function shopsTable(outcomes: readonly ServerOutcome<ShopStack>[]): string {
  const rows = outcomes.map(({ stack, calls }) => {
    const document = stack.isFastApi ? 'its own, with its errors of validation' : 'by hand';
    return `| ${stack.title} | ${versionOf(stack)} | ${document} | ${calls} |`;
  });
  return `| server | version | document | calls |\n|---|---|---|---:|\n${rows.join('\n')}`;
}

/** The operations of documents that clients have called, by document and stack. */
export function operationsTable(outcomes: readonly OperationsOutcome[]): string {
  const stacks = [...new Set(outcomes.map(({ stack }) => stack))];
  const rows = [...new Set(outcomes.map(({ document }) => document))].map((document) => {
    const own = outcomes.filter((each) => each.document === document);
    const counts = stacks.map((stack) => {
      const { operations = 0, failures = [] } = own.find((each) => each.stack === stack) ?? {};
      return operations - failures.length;
    });
    return `| \`${document}\` | ${own[0]?.operations} | ${counts.join(' | ')} |`;
  });
  const titles = stacks.map((stack) => `${stack.title} ${versionOf(stack)}`).join(' | ');
  return `| document | operations | ${titles} |\n|---|---:|${'---:|'.repeat(stacks.length)}\n${rows.join('\n')}`;
}

const pages: readonly (readonly [title: string, page: string])[] = [
  ['C and C++', 'c.md'],
  ['FORM and curl', 'form.md'],
  ['Java', 'java.md'],
  ['.NET', 'dotnet.md'],
  ['Node', 'node.md'],
  ['Perl', 'perl.md'],
  ['PHP', 'php.md'],
  ['Python', 'python.md'],
  ['Ruby', 'ruby.md'],
];

function row(stack: Stack, outcomes: readonly Outcome[]): string {
  const runs = outcomes.filter((outcome) => outcome.stack === stack).map(({ run }) => run);
  const what = runs.map(({ document, variant }) => `${documents[document]} (${variant})`).join(', ');
  const client = `[client](../test/interop/clients/${stack.name})`;
  const note = stack.note === undefined ? '' : ` ${stack.note}`;
  const title = `[${stack.title}](clients/${stack.page}.md)`;
  return `| ${title}, ${client} | ${versionOf(stack)} | ${needs(stack)} | ${what}.${note} | ${stack.key} |`;
}

function needs({ source }: Pick<Stack, 'source'>): string {
  switch (source.kind) {
    case 'Debian':
      return source.packages.map((name) => `\`${name}\``).join(' ');
    case 'npm':
      return source.packages.map((name) => `\`npm install ${name}\``).join(', ');
    case 'devDependency':
      return `\`npm install ${source.module}\``;
    default:
      return source satisfies never;
  }
}

export function versionOf({ source }: Pick<Stack, 'source'>): string {
  switch (source.kind) {
    case 'Debian':
      return (
        debianVersion(source.versionOf)
          ?.replace(/^\d+:/, '')
          .replace(/[-+].*$/, '') ?? ''
      );
    case 'npm':
      return source.packages[0]?.split('@').at(-1) ?? '';
    case 'devDependency':
      return moduleVersion(source.module);
    default:
      return source satisfies never;
  }
}

function moduleVersion(name: string): string {
  return JSON.parse(readFileSync(join(import.meta.dirname, '../../node_modules', name, 'package.json'), 'utf8'))
    .version;
}
