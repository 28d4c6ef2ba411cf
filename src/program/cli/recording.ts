/** `triglyph recording`: recordings as HAR, as mappings of WireMock and as answers of a mock, and back. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { ConversionError } from '../../convert/index.ts';
import { createRedactor, maskScalar, type ObjectSchema, type Service } from '../../core/contract/index.ts';
import { compilePrint, dateTimeFormat } from '../../core/formats/index.ts';
import { exampleOf } from '../../documents/index.ts';
import { filesOf, type RecordedRequest, RecordingError, readRecording } from '../../forward/index.ts';
import { checkRecorded, compileReplay, type RecordedAnswer } from '../testing/mock/recorded-answers.ts';
import { CommandError } from './command-error.ts';
import { localOrigin, originOption } from './origin-option.ts';
import { print, printAll } from './output.ts';
import { checkProject } from './project.ts';
import { servedServices } from './project-upstreams.ts';
import { createExchanges, type Exchange } from './recording/exchange.ts';
import { isHar, printHar, readHar } from './recording/har.ts';
import { mappingsOf, printMappings, readMapping } from './recording/wiremock.ts';

export function add(program: Command): void {
  const recording = program.command('recording').description('exports recordings to other tools, and imports theirs');
  recording
    .command('export')
    .argument('<recording...>', 'files of a recording, or folders with them')
    .addOption(
      new Option('--as <format>', 'har, wiremock (stub mappings), or answers (for triglyph mock --answers)')
        .choices(['har', 'wiremock', 'answers'])
        .makeOptionMandatory(),
    )
    .requiredOption('--out <file>', 'the file')
    .addOption(originOption('with har: the address of the server in URLs').default(localOrigin))
    .description('writes recorded requests and answers for other tools; what is masked stays masked')
    .addHelpText('after', '\nExample:\n  triglyph recording export recordings --as har --out recording.har')
    .action(exportRecording);
  recording
    .command('import')
    .argument('<file...>', 'HTTP archives of a browser or a proxy (HAR 1.2), or stub mappings of WireMock, as JSON')
    .requiredOption('--out <file>', 'the file of the recording, which ends with .jsonl')
    .description('makes a recording of requests to the services; sensitive members are masked')
    .addHelpText('after', '\nExample:\n  triglyph recording import browser.har --out recordings/browser.jsonl')
    .action(importRecording);
  recording.addHelpText('after', '\nExample:\n  triglyph recording export recordings --as har --out recording.har');
}

/** Requests of one export, which is made in memory. */
const exportedMax = 100_000;

interface ExportOptions {
  readonly as: 'har' | 'wiremock' | 'answers';
  readonly out: string;
  readonly origin: string;
}

async function exportRecording(recordings: readonly string[], { as, out, origin }: ExportOptions): Promise<void> {
  checkProject();
  const services = servedServices();
  const records = await readAll(recordings);
  const { text, count } = contentOf(records, as, services, origin.replace(/\/$/, ''));
  writeFileSync(out, text, { mode: 0o600 });
  const left = records.length - count;
  print(`${count} requests are in ${out}${left === 0 ? '' : `; ${left} left out, which the contract cannot write`}`);
}

interface Content {
  readonly text: string;
  /** Of requests. */
  readonly count: number;
}

function contentOf(
  records: readonly RecordedRequest[],
  as: ExportOptions['as'],
  services: readonly Service[],
  origin: string,
): Content {
  if (as === 'answers') {
    const answerOf = createAnswers(services);
    const answers = records.flatMap((each) => answerOf(each) ?? []);
    return { text: printAnswers(answers), count: answers.length };
  }
  const { write } = createExchanges(services);
  const exchanges = records.flatMap((each) => write(each) ?? []);
  return { text: as === 'har' ? printHar(exchanges, origin) : printMappings(exchanges), count: exchanges.length };
}

async function readAll(recordings: readonly string[]): Promise<readonly RecordedRequest[]> {
  const records: RecordedRequest[] = [];
  try {
    for (const file of (await Promise.all(recordings.map(filesOf))).flat())
      for await (const { record } of readRecording(file)) {
        if (records.length === exportedMax)
          throw new RecordingError(`there are more than ${exportedMax} requests: name fewer files`);
        records.push(record);
      }
  } catch (thrown) {
    throw thrown instanceof RecordingError ? new CommandError([thrown.message]) : thrown;
  }
  return records;
}

/** Of one file, which is read as a whole. */
const importBytesMax = 256 * 1024 * 1024;
/** Reasons that are printed. */
const reasonsMax = 20;

function importRecording(files: readonly string[], { out }: { readonly out: string }): void {
  checkProject();
  if (!out.endsWith('.jsonl')) throw new CommandError([`--out ${out}: the name of a recording ends with .jsonl`]);
  const exchanges = createExchanges(servedServices());
  const lines: string[] = [];
  const reasons: string[] = [];
  for (const file of files)
    for (const [at, exchange] of readFile(file).entries())
      try {
        if (typeof exchange === 'string') reasons.push(`${file}: entry ${at + 1}: ${exchange}`);
        else lines.push(`${JSON.stringify(exchanges.read(exchange, lines.length + 1))}\n`);
      } catch (thrown) {
        if (!(thrown instanceof ConversionError)) throw thrown;
        reasons.push(`${file}: entry ${at + 1}: ${thrown.message}`);
      }
  writeFileSync(out, lines.join(''), { mode: 0o600 });
  printAll([
    `${lines.length} requests are in ${out}${reasons.length === 0 ? '' : `; ${reasons.length} left out:`}`,
    ...reasons.slice(0, reasonsMax).map((each) => `  ${each}`),
    ...(reasons.length > reasonsMax ? ['  and others'] : []),
  ]);
  if (lines.length === 0) process.exitCode = 1;
}

function readFile(file: string): readonly (Exchange | string)[] {
  if (statSync(file).size > importBytesMax) throw new CommandError([`${file} has more than ${importBytesMax} bytes`]);
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
  } catch (thrown) {
    throw new CommandError([`${file} is no JSON: ${(thrown as Error).message}`]);
  }
  if (isHar(value)) return readHar(value);
  const mappings = mappingsOf(value);
  if (mappings === undefined)
    throw new CommandError([`${file} is neither an HTTP archive nor stub mappings of WireMock`]);
  return mappings.map(readMapping);
}

const withoutSensitive = createRedactor((schema) => (maskScalar(schema) === undefined ? undefined : () => undefined));
/** Masked values break the contract: those of its examples take their places. */
const withExamples = createRedactor((schema) =>
  maskScalar(schema) === undefined ? undefined : () => exampleOf(schema, 'full'),
);

/** Returns how a recorded request is answered by a mock; undefined where no mock can answer so. */
function createAnswers(services: readonly Service[]): (record: RecordedRequest) => RecordedAnswer | undefined {
  return (record) => {
    const service = services.find(({ name, version }) => name === record.service && version === record.version);
    const operation = service?.operations.get(record.operation);
    if (service === undefined || operation === undefined) return undefined;
    const print = (schema: ObjectSchema, value: unknown, fractions?: 'absent') =>
      JSON.parse(compilePrint(schema, dateTimeFormat('UTC', fractions), service)(value)) as Record<string, unknown>;
    try {
      const answer: RecordedAnswer = {
        ...{ operation: operation.name, service: service.name },
        // A masked member is that of no request.
        when: print(operation.input, withoutSensitive(operation.input, record.input), 'absent'),
        ...(record.refusal === undefined
          ? { output: print(operation.output, withExamples(operation.output, record.output ?? {})) }
          : { problem: record.outcome }),
      };
      checkRecorded([answer], [service]);
      compileReplay([answer], service, operation);
      return answer;
    } catch {
      return undefined;
    }
  };
}

/** Of equal requests the last answer counts. */
function printAnswers(answers: readonly RecordedAnswer[]): string {
  const latest = new Map<string, RecordedAnswer>();
  for (const each of answers) latest.set(JSON.stringify([each.operation, each.service, each.when]), each);
  // Those that state more members fit fewer requests.
  const size = ({ when = {} }: RecordedAnswer) => JSON.stringify(when).length;
  return `${JSON.stringify({ answers: [...latest.values()].toSorted((one, other) => size(other) - size(one)) }, null, 2)}\n`;
}
