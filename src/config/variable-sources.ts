/** The sources of settings. Each overrides those after it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { Variables } from './unknown-variables.ts';

export interface VariableSource {
  /** As messages call it: `environment`, `.env`, or the name of a file. */
  readonly name: string;
  readonly variables: Variables;
}

/** A variable that is set, and where. */
interface FoundVariable {
  readonly name: string;
  readonly text: string;
  readonly source: string;
}

export class VariableSources {
  readonly #sources: readonly VariableSource[];

  constructor(...sources: readonly VariableSource[]) {
    this.#sources = sources;
  }

  /** Returns these sources, and one that they override. */
  with(source: VariableSource): VariableSources {
    return new VariableSources(...this.#sources, source);
  }

  /** Returns these sources, and one that overrides them. */
  overriddenBy(source: VariableSource): VariableSources {
    return new VariableSources(source, ...this.#sources);
  }

  /** An empty variable counts as absent, and hides that of other sources: Compose files and shells cannot unset one. */
  find(name: string): FoundVariable | undefined {
    const source = this.#sources.find(({ variables }) => variables[name] !== undefined);
    const text = source?.variables[name]?.trim() ?? '';
    return source === undefined || text === '' ? undefined : { name, text, source: source.name };
  }

  /** Returns which of the variables are set, in the first source that sets one of them. */
  findFirst(names: readonly string[]): readonly FoundVariable[] {
    const found = names.flatMap((name) => this.find(name) ?? []);
    const first = this.#sources.find(({ name }) => found.some(({ source }) => source === name));
    return found.filter(({ source }) => source === first?.name);
  }

  get variables(): Variables {
    return Object.assign({}, ...this.#sources.map(({ variables }) => variables).reverse());
  }
}

/** Returns the environment and, for what it does not set, `.env` in the folder. */
export function readSources(variables: Variables = process.env, folder = process.cwd()): VariableSources {
  const environment: VariableSource = { name: 'environment', variables };
  const file = join(folder, '.env');
  return existsSync(file)
    ? new VariableSources(environment, { name: '.env', variables: parseEnv(readFileSync(file, 'utf8')) })
    : new VariableSources(environment);
}
