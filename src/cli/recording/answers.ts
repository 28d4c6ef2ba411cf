/** Recorded requests as the answers of `triglyph mock --answers`. */
import type { RecordedRequest } from '../../compare/recorded-request.ts';
import { createRedactor, maskScalar } from '../../contract/redaction.ts';
import type { ObjectSchema } from '../../contract/schema.ts';
import type { Service } from '../../contract/service.ts';
import { exampleOf } from '../../documents/example.ts';
import { dateTimeFormat } from '../../formats/date-time.ts';
import { compilePrint } from '../../formats/json/print.ts';
import { checkRecorded, compileReplay, type RecordedAnswer } from '../../testing/mock/recorded-answers.ts';

const withoutSensitive = createRedactor((schema) => (maskScalar(schema) === undefined ? undefined : () => undefined));
/** Masked values break the contract: those of its examples take their places. */
const withExamples = createRedactor((schema) =>
  maskScalar(schema) === undefined ? undefined : () => exampleOf(schema, 'full'),
);

/** Returns how a recorded request is answered by a mock; undefined where no mock can answer so. */
export function createAnswers(services: readonly Service[]): (record: RecordedRequest) => RecordedAnswer | undefined {
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
export function printAnswers(answers: readonly RecordedAnswer[]): string {
  const latest = new Map<string, RecordedAnswer>();
  for (const each of answers) latest.set(JSON.stringify([each.operation, each.service, each.when]), each);
  // Those that state more members fit fewer requests.
  const size = ({ when = {} }: RecordedAnswer) => JSON.stringify(when).length;
  return `${JSON.stringify({ answers: [...latest.values()].toSorted((one, other) => size(other) - size(one)) }, null, 2)}\n`;
}
