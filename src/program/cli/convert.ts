/** `triglyph convert`: converts a message to other wire formats and to programs. */
import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import {
  type Coercion,
  type Conversion,
  ConversionError,
  type ConversionIssue,
  type ConversionTarget,
  type ConvertedMessage,
  changeTexts,
  conversionTargets,
  createConverter,
  languages,
} from '../../convert/index.ts';
import { isFormat, type ProtocolName, protocolNames, wireFormats } from '../../core/formats/index.ts';
import { CommandError } from './command-error.ts';
import { localOrigin, originOption } from './origin-option.ts';
import { print } from './output.ts';
import { checkProject } from './project.ts';
import { servedServices } from './project-upstreams.ts';

export function add(program: Command): void {
  const command = program
    .command('convert')
    .argument('[file]', 'one message: a body, or an HTTP message with its head; - for standard input', '-')
    .option(
      '--from <format>',
      'the format of the message; by default found by its head or its first bytes',
      parseFormat,
    )
    .option('--to <targets>', 'formats and languages, with commas; by default the canonical form', parseTargets)
    .option('--service <name>', 'the service, where several have the operation')
    .option(
      '--service-version <number>',
      'the version of the service; by default that of the path, or the newest',
      parseVersion,
    )
    .option('--operation <name>', 'the operation, where the message does not name it')
    .option('--answer', 'the message is the answer of the operation')
    .addOption(originOption('the address of the server in programs').default(localOrigin))
    .option('--mask', 'masks sensitive members')
    .option('--json', 'prints JSON')
    .description('converts a message to other formats, or a request to a program that sends it')
    .addHelpText('after', help);
  command.action((file: string, options: Options) => {
    checkProject();
    try {
      convertFile(file, options);
    } catch (thrown) {
      if (!(thrown instanceof ConversionError)) throw thrown;
      if (thrown.reason === 'malformed') throw thrown;
      command.error(`triglyph: ${thrown.message}${hints[thrown.reason]}`, { exitCode: 2 });
    }
  });
}

interface Options {
  readonly from?: ProtocolName;
  readonly to?: readonly ConversionTarget[];
  readonly service?: string;
  readonly serviceVersion?: number;
  readonly operation?: string;
  readonly answer?: true;
  readonly origin: string;
  readonly mask?: true;
  readonly json?: true;
}

const hints = { unnamed: ' (--from, --service, --service-version, --operation)', target: '' };

function convertFile(file: string, { serviceVersion, answer, json, mask, ...options }: Options): void {
  const message = readFileSync(file === '-' ? 0 : file);
  if (message.toString('latin1').trim() === '')
    throw new CommandError([
      `${file === '-' ? 'standard input' : file} is empty: name a file with one message, or pipe one`,
    ]);
  const conversion = createConverter(servedServices())({
    ...options,
    message,
    version: serviceVersion,
    side: answer === true ? 'answer' : undefined,
    mask: mask === true,
  });
  if (json === true) print(JSON.stringify(conversion, null, 2));
  else {
    process.stderr.write(formatNotes(conversion));
    // The messages as they are: a control character is part of one.
    process.stdout.write(
      formatConversion(conversion)
        .map((each) => `${each}\n`)
        .join(''),
    );
  }
  if (conversion.issues.length > 0) process.exitCode = 1;
}

function parseFormat(text: string): ProtocolName {
  const name = text === 'soap' ? 'soap11' : text;
  const found = protocolNames.find((each) => each === name);
  if (found === undefined) throw new InvalidArgumentError(`The formats are soap, ${protocolNames.join(', ')}.`);
  return found;
}

function parseTargets(text: string): readonly ConversionTarget[] {
  return text.split(',').map((each) => {
    const name = each.trim() === 'soap' ? 'soap11' : each.trim();
    const found = conversionTargets.find((target) => target === name);
    if (found === undefined) throw new InvalidArgumentError(`The targets are soap, ${conversionTargets.join(', ')}.`);
    return found;
  });
}

function parseVersion(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('A version is a number, such as 25.');
  return Number(text);
}

const help = `
Example:
  triglyph convert old-call.xml --to json
  triglyph convert old-call.xml --to curl,php
  triglyph convert answer.json --operation disable --answer --to soap

Standard output has the converted messages; standard error says what the message is, and what the conversion changes.
Exit codes: 0 converted, 1 the message is malformed or invalid, 2 the message does not say what it is.`;

/** One converted message as it is, several with a heading each; the canonical form where nothing else is asked for. */
function formatConversion({ canonical, issues, messages, programs }: Conversion): readonly string[] {
  const parts = [
    ...Object.entries(messages).map(([name, message]) => ({ name, text: formatMessage(name, message) })),
    ...Object.entries(programs).map(([name, text]) => ({
      name: languages[name as keyof typeof languages].title,
      text: text.trimEnd(),
    })),
  ];
  if (parts.length === 0) return issues.length > 0 ? [] : [JSON.stringify(canonical, null, 2)];
  if (parts.length === 1) return parts.map(({ text }) => text);
  return parts.map(({ name, text }, at) => `${at === 0 ? '' : '\n'}--- ${name}\n${text}`);
}

/** Only the head of a request with an HTTP binding holds fields. JSON is printed with a member in each line. */
function formatMessage(name: string, { method, path, headers, body }: ConvertedMessage): string {
  const format = isFormat(name) ? wireFormats[name] : undefined;
  const text = format?.text.source?.(body)?.kind === 'json' ? format.text.indent(body) : body;
  if (format?.hasFieldsInHead !== true || method === undefined) return text;
  const lines = [
    `${method} ${path} HTTP/1.1`,
    ...Object.entries(headers).map(([header, value]) => `${header}: ${value}`),
  ];
  return `${lines.join('\n')}\n\n${text}`.trimEnd();
}

/** Returns the notes with a line break at the end. */
function formatNotes({ service, version, operation, format, side, coercions, issues }: Conversion): string {
  const lines = [
    `${service}${operation === undefined ? '' : `.${operation}`}, version ${version}: ${side} in ${format}`,
    ...issues.map(({ at, code, message, place }) => `invalid: ${at}${formatPlace(place)}: ${code} ${message}`),
    ...coercions.map((each) => `${each.in === undefined ? 'changed' : `lost in ${each.in}`}: ${formatCoercion(each)}`),
  ];
  return `${lines.join('\n')}\n`;
}

function formatPlace(place: ConversionIssue['place']): string {
  return place === undefined ? '' : ` (line ${place.line}, column ${place.column})`;
}

function formatCoercion({ at, changes, from, to }: Coercion): string {
  const values = from === undefined ? '' : ` ${from} -> ${to ?? 'absent'}`;
  return `${at}:${values} (${changes.map((each) => changeTexts[each]).join('; ')})`;
}
