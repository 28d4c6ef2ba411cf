/**
 * Renews test/facts/public-descriptions.tsv from a clone of Adyen/adyen-openapi: `node scripts/public-facts.mjs GIT_DIRECTORY`.
 * It reads names, types, lengths, enumerations and versions; no description.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [gitDirectory] = process.argv.slice(2);
if (gitDirectory === undefined) throw new TypeError('usage: node scripts/public-facts.mjs GIT_DIRECTORY');
const git = (...args) =>
  execFileSync('git', [`--git-dir=${gitDirectory}`, ...args], { encoding: 'utf8', maxBuffer: 1 << 26 });

const newest = git('rev-parse', 'HEAD').trim();
/** The description of version 18 was removed later: this is the last commit with it. */
const v18 = 'json/RecurringService-v18.json';
const withV18 = git('rev-parse', `${git('log', '-1', '--diff-filter=D', '--format=%H', '--', v18).trim()}~1`).trim();

const descriptions = [
  { service: 'Recurring', version: 18, commit: withV18, path: v18 },
  ...[25, 30, 40, 49, 67, 68].map((version) => ({
    service: 'Recurring',
    version,
    commit: newest,
    path: `json/RecurringService-v${version}.json`,
  })),
  ...[1, 2].map((version) => ({
    service: 'BalancePlatform',
    version,
    commit: newest,
    path: `json/BalancePlatformService-v${version}.json`,
  })),
];

/** The operations of the balance platform that the specification lists; those that the descriptions lack are left out. */
const resource = '/(accountHolders|balanceAccounts|balancePlatforms|paymentInstruments)';
const inSpecification = new RegExp(
  String.raw`^(post ${resource}|(get|patch) ${resource}/\{id\}|get ${resource}/\{id\}/(accountHolders|balanceAccounts|paymentInstruments))$`,
);

/** The versions of each row, by the row without them. */
const rows = new Map();
const serviceNames = [...new Set(descriptions.map(({ service }) => service))];

for (const { service, version, commit, path } of descriptions) {
  const { paths, components } = JSON.parse(git('show', `${commit}:${path}`));
  const add = (type, member, flags, value, length = '') => {
    const row = [service, type, member, flags, value, length].join('\t');
    rows.set(row, [...(rows.get(row) ?? []), version]);
  };
  const pending = new Set();
  const nameOf = (schema) => {
    const text = writeValue(schema, components.schemas);
    for (const [name] of text.matchAll(/[A-Z]\w*/g)) if (components.schemas[fullName(name)]) pending.add(name);
    return text;
  };
  for (const [address, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods)) {
      if (service === 'BalancePlatform' && !inSpecification.test(`${method} ${address}`)) continue;
      const request = messageOf(operation.requestBody);
      const successes = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
      const name = `${method.toUpperCase()} ${address}`;
      add(
        '(operation)',
        name,
        '',
        [request, messageOf(successes[0]?.[1])].map((each) => (each ? nameOf(each) : '-')).join(' '),
      );
      for (const each of operation.parameters ?? [])
        if (each.in === 'query') add(`(query of ${name})`, each.name, each.required ? '*' : '', nameOf(each.schema));
      for (const [status, each] of Object.entries(operation.responses)) {
        const error = messageOf(each);
        if (!status.startsWith('2') && error) nameOf(error);
      }
    }
  for (const type of pending) {
    const { properties = {}, required = [] } = components.schemas[fullName(type)];
    for (const [member, schema] of Object.entries(properties)) {
      const flags = [
        required.includes(member) && '*',
        schema.readOnly && 'r',
        schema.deprecated && 'd',
        schema['x-addedInVersion'] && `v${schema['x-addedInVersion']}`,
      ];
      const { minLength, maxLength } = schema;
      const length = maxLength === undefined ? '' : `${minLength ?? 0}..${maxLength}`;
      add(type, member, flags.filter(Boolean).join(' '), nameOf(schema), length);
    }
  }
}

/** `A-recursive` is `ARecursive` in the table. */
function fullName(name) {
  return name.replace(/Recursive$/, '-recursive');
}

function messageOf(message) {
  return message?.content?.['application/json']?.schema;
}

/** `string`, `a|b` for an enumeration, `[T]` for a list, `{T}` for a map, or the name of a type. */
function writeValue(schema, schemas) {
  const { $ref, type, format, enum: values, items, oneOf, additionalProperties } = schema;
  if ($ref !== undefined) return typeOf($ref.split('/').at(-1), schemas);
  if (oneOf !== undefined) return oneOf.map((each) => writeValue(each, schemas)).join(' or ');
  if (type === 'array') return `[${writeValue(items, schemas)}]`;
  if (values !== undefined) return values.join('|');
  if (additionalProperties !== undefined) return `{${writeValue(additionalProperties, schemas)}}`;
  if (format === 'date-time' || format === 'time') return format;
  return type === undefined || type === 'object' ? 'any' : format === undefined ? type : `${type} ${format}`;
}

/** A type without members is `any`; one whose single member has its name, as wrappers of list items do, is that member. */
function typeOf(name, schemas) {
  const members = Object.entries(schemas[name].properties ?? {});
  if (members.length === 0) return writeValue({ ...schemas[name], $ref: undefined }, schemas);
  const [[member, schema]] = members;
  return members.length === 1 && `${member}Wrapper` === name
    ? writeValue(schema, schemas)
    : name.replace(/-recursive$/, 'Recursive');
}

const lines = [...rows].map(([row, versions]) => {
  const [service, ...rest] = row.split('\t');
  return [service, versions.join(','), ...rest].join('\t').trimEnd();
});
const order = (line) => {
  const [service, versions, type, member] = line.split('\t');
  return [serviceNames.indexOf(service), type, member, versions.padStart(9)].join('\t');
};
lines.sort((a, b) => (order(a) < order(b) ? -1 : 1));
const dateOf = (commit) => git('show', '-s', '--format=%cs', commit).trim();
const header = [
  '# What the public descriptions state: operations with their request and response, types and their members, in each version.',
  '# Facts only: no text of the descriptions. Renewed by: node scripts/public-facts.mjs GIT_DIRECTORY',
  `# Source: https://github.com/Adyen/adyen-openapi, folder json/, commit ${newest} (${dateOf(newest)});`,
  `# version 18 of Recurring: commit ${withV18} (${dateOf(withV18)}). Licence: MIT, Copyright (c) 2017 Adyen bv.`,
  '# Flags: * required, r read-only, d deprecated, v12 added in version 12. Of the balance platform, the operations of the specification.',
  ['service', 'versions', 'type', 'member', 'flags', 'value', 'length'].join('\t'),
];
writeFileSync(
  join(import.meta.dirname, '../test/facts/public-descriptions.tsv'),
  `${[...header, ...lines].join('\n')}\n`,
);
