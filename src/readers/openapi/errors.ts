/** Error responses with members are faults with data; all operations share those of one schema. */
import {
  defineProblems,
  type Fault,
  isJsonType,
  kind,
  type ObjectSchema,
  type ProblemKind,
} from '../../core/contract/index.ts';
import { contentOf } from './answers.ts';
import type { Node } from './documents.ts';
import type { Declared } from './parameters.ts';
import type { SchemaReader } from './schemas.ts';

interface ReadErrors {
  readonly faults: readonly Fault[];
  /** The names of their problems by status. */
  readonly errors: Readonly<Record<string, string>>;
}

/** The faults of all operations, by their schemas. */
export class ErrorReader {
  readonly #reader: SchemaReader;
  readonly #faults = new Map<ObjectSchema, Fault>();
  readonly #problems: Record<string, ProblemKind> = {};

  constructor(reader: SchemaReader) {
    this.#reader = reader;
  }

  get problems(): Readonly<Record<string, ProblemKind>> {
    return this.#problems;
  }

  read(declared: Declared, type: string): ReadErrors {
    const { documents } = this.#reader;
    const responses = documents.members(documents.member(declared.node, 'responses'));
    const hasSuccess = responses.some(([status]) => /^2/.test(status));
    const faults = new Set<Fault>();
    const errors: Record<string, string> = {};
    for (const [status, response] of responses) {
      const isError = /^[45](?:\d\d|XX)$/i.test(status) || (status === 'default' && hasSuccess);
      const fault = isError ? this.#fault(response, status, declared, type) : undefined;
      if (fault === undefined) continue;
      faults.add(fault);
      errors[status === 'default' ? status : status.toUpperCase()] = fault.problem.name;
    }
    return { faults: [...faults], errors };
  }

  #fault(response: Node, status: string, declared: Declared, type: string): Fault | undefined {
    const content = contentOf(this.#reader, response, declared);
    if (content?.schema === undefined || !isJsonType(content.media)) return undefined;
    const detail = this.#reader.schema(content.schema, `${type}Error${status === 'default' ? '' : status}`);
    if (detail.kind !== 'object') return undefined;
    const known = this.#faults.get(detail);
    if (known !== undefined) return known;
    const element = this.#reader.names.take(`${detail.name}Fault`);
    const name = element.charAt(0).toLowerCase() + element.slice(1);
    const code = /^\d{3}$/.test(status) ? Number(status) : status.startsWith('5') ? 500 : 422;
    const made = defineProblems({
      [name]: kind(
        code,
        String(1001 + this.#faults.size),
        code >= 500 ? 'internal' : 'validation',
        'The server refused the request',
      ),
    });
    const problem = made[name]!;
    this.#problems[name] = problem;
    const fault: Fault = { problem, element, detail };
    this.#faults.set(detail, fault);
    return fault;
  }
}
