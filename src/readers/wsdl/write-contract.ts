/** Writes contracts as TypeScript, as a person would with `triglyph/contract`. */

import {
  defaultLevels,
  type Fault,
  type Field,
  isScalar,
  type ObjectSchema,
  type Operation,
  type ProblemKind,
  type Recursion,
  type ScalarSchema,
  type Schema,
  type Service,
} from '../../core/contract/index.ts';
import { UniqueNames } from '../../documents/index.ts';
import { languageNames } from './check-source.ts';
import {
  choiceExpression,
  dataExpression,
  dataMembers,
  literal,
  scalarExpression,
  scalarName,
} from './contract-expressions.ts';
import { call, type Expression, members, print, quote } from './source-text.ts';

/** `comments`: lines at the top. */
export function writeContracts(services: readonly Service[], comments: readonly string[]): string {
  return new Writer(services).text(comments);
}

/** The names of the constants that hold the contracts of a text. */
export function contractNames(services: readonly Service[]): readonly string[] {
  if (services.length === 1) return ['contract'];
  const names = new UniqueNames(reserved);
  return services.map(({ name }) => names.take(`${constantName(name)}Contract`));
}

/** The options of fields that are written once. */
const namedOptions: Readonly<Record<string, Partial<Field>>> = {
  neverNil: { nillable: false },
  emptyIfAbsent: { mandatoryInStubs: 'empty' },
  nilIfAbsent: { mandatoryInStubs: 'nillable' },
  attribute: { xml: 'attribute' },
};

const reserved: ReadonlySet<string> = new Set([
  ...languageNames,
  ...`break case catch class const continue debugger default delete do else enum export extends false finally for function if import in
  instanceof new null return super switch this throw true try typeof var void while with yield let static await async package private
  public interface protected implements arguments eval contract problems`.split(/\s+/),
]);

class Writer {
  readonly #services: readonly Service[];
  readonly #contractNames: readonly string[];
  readonly #imports = new Set<string>(['object', 'operation', 'service']);
  /** Declarations in the order of their use, by the text or the schema that they stand for. */
  readonly #declarations: string[] = [];
  readonly #objects = new Map<ObjectSchema, string>();
  readonly #texts = new Map<string, string>();
  readonly #operations = new Map<Operation, string>();
  readonly #names: UniqueNames;
  readonly #uses = new Map<string, number>();
  #problemNames = 0;
  /** The objects of messages, which stand in their operations. */
  readonly #messages: ReadonlySet<ObjectSchema>;

  constructor(services: readonly Service[]) {
    this.#services = services;
    this.#contractNames = contractNames(services);
    this.#names = new UniqueNames([...reserved, ...this.#contractNames]);
    const operations = services.flatMap((each) => [...each.operations.values()]);
    const roots = operations.flatMap(({ input, output }) => [input, output]);
    this.#messages = new Set(roots.filter((each, at) => roots.indexOf(each) === at && roots.lastIndexOf(each) === at));
    const details = operations.flatMap(({ faults = [] }) => faults.map(({ detail }) => detail));
    for (const root of [...roots, ...details]) this.#count(root, new Set());
  }

  text(comments: readonly string[]): string {
    const written = this.#services.map((service, at) => this.#parts(service, this.#contractNames[at]!));
    const problems = written.map((each) => each.problems);
    const others = written.flatMap(({ operations, contract }) => [...operations, contract]);
    const imports = [...this.#imports].sort();
    const importLine = `import { ${imports.join(', ')} } from 'triglyph/contract';`;
    const importText =
      importLine.length <= 120
        ? importLine
        : `import {\n${imports.map((each) => `  ${each},\n`).join('')}} from 'triglyph/contract';`;
    return `${spaced([comments.join('\n'), importText, ...problems, ...this.#declarations, ...others])}\n`;
  }

  /** Counts what is used, to name what is used often. */
  #count(schema: Schema, seen: Set<Schema>): void {
    if (seen.has(schema)) return;
    if (schema.kind === 'object') {
      seen.add(schema);
      for (const each of schema.recursion?.group ?? []) this.#count(each, seen);
      const { fields, variants = [] } = schema.recursion?.template ?? schema;
      for (const field of Object.values(fields)) {
        this.#note(print(this.#options(field) ?? ''));
        this.#count(field.schema, seen);
      }
      for (const each of variants) this.#count(each, seen);
    } else if (schema.kind === 'list') this.#count(schema.item, seen);
    else if (schema.kind !== 'map') this.#note(print(scalarExpression(schema)));
    else if (schema.item !== undefined) this.#count(schema.item, seen);
  }

  #note(text: string): void {
    this.#uses.set(text, (this.#uses.get(text) ?? 0) + 1);
  }

  #parts(service: Service, name: string) {
    const { problems = {}, operations } = service;
    const hasProblems = Object.keys(problems).length > 0;
    const problemsName = hasProblems ? this.#problemsName() : '';
    return {
      problems: hasProblems ? this.#problems(problemsName, problems) : '',
      operations: [...operations.values()].map((each) => this.#operation(each, problemsName)),
      contract: this.#contract(service, name, problemsName),
    };
  }

  #problems(constant: string, problems: Readonly<Record<string, ProblemKind>>): string {
    this.#imports.add('defineProblems').add('kind');
    const table = Object.fromEntries(
      Object.entries(problems).map(([name, { status, code, type, message }]) => [
        name,
        call('kind', String(status), quote(code), quote(type), quote(message)),
      ]),
    );
    return `export const ${constant} = ${print(call('defineProblems', members(table, true)), '', constant.length + 16)};`;
  }

  #operation(operation: Operation, problemsName: string): string {
    const { name, doc, effect, role, problems, faults, elements, soapAction, replyAction, oneWay } = operation;
    const { upstream, input, output } = operation;
    const ofFaults = new Set(faults?.map(({ problem }) => problem));
    const names = problems
      .filter((problem) => typeof problem === 'string' || !ofFaults.has(problem))
      .map((problem) => `${problemsName}.${typeof problem === 'string' ? problem : problem.name}`);
    const parts = members(
      {
        ...dataMembers({ name, doc, effect, role }),
        problems: { items: names },
        faults: faults && { items: faults.map((fault) => this.#fault(fault, problemsName)) },
        ...dataMembers({ elements, soapAction, replyAction, oneWay, upstream }),
        input: this.#schema(input),
        output: this.#schema(output),
      },
      true,
    );
    const constant = this.#nameFor(name);
    this.#operations.set(operation, constant);
    const text = print(call('operation', parts));
    return `export const ${constant} = ${upstream === undefined ? withBinding(text, { name, effect, input }) : text};`;
  }

  #fault({ problem, element, namespace, detail }: Fault, problemsName: string): string {
    const key = `fault ${problemsName} ${element}`;
    const known = this.#texts.get(key);
    if (known !== undefined) return known;
    const parts = members({
      problem: `${problemsName}.${problem.name}`,
      ...dataMembers({ element, namespace }),
      detail: this.#schema(detail),
    });
    const constant = this.#nameFor(`${element}Fault`);
    this.#texts.set(key, constant);
    this.#declare(constant, parts);
    return constant;
  }

  #contract(service: Service, constant: string, problemsName: string): string {
    const { name, version, doc, address, legacy, paths, credentials, problems, operations } = service;
    const { soapStyle, mtom, unknownRequestMembers } = service;
    const { own, uris, unqualified, fault } = service.namespaces!;
    const namespaces = { own, uris, unqualified, fault };
    const parts = members(
      {
        ...dataMembers({ name, version, doc, address, legacy, paths, credentials, namespaces }),
        ...dataMembers({ soapStyle, mtom, unknownRequestMembers }),
        problems: problems && problemsName,
        operations: { items: [...operations.values()].map((each) => this.#operations.get(each)!) },
      },
      true,
    );
    return `export const ${constant} = ${print(call('service', parts))};`;
  }

  #schema(schema: Schema): Expression {
    switch (schema.kind) {
      case 'object':
        if (schema.isSelf) return this.#self(schema);
        return this.#messages.has(schema) ? this.#object(schema) : this.#objectName(schema);
      case 'list': {
        if (schema.joined) {
          this.#imports.add('joined');
          return call('joined', this.#scalar(schema.item));
        }
        this.#imports.add('list');
        const { kind: _, joined: __, item, itemName, wrapped, max, ...others } = schema;
        const options = dataExpression({ max, ...(wrapped && { wrapped }), ...others });
        return call('list', this.#schema(item), quote(itemName), options);
      }
      case 'map': {
        this.#imports.add(schema.item === undefined ? 'map' : 'mapOf');
        const [key = 'key', value = ''] = Object.entries(schema.example)[0] ?? [];
        if (schema.item !== undefined) return call('mapOf', this.#schema(schema.item), String(schema.max), quote(key));
        const { entryName, whenEmpty } = schema;
        return call(
          'map',
          String(schema.max),
          dataExpression({ [key]: value }),
          dataExpression({ entryName, whenEmpty }),
        );
      }
      default:
        return this.#scalar(schema);
    }
  }

  #scalar(schema: ScalarSchema): Expression {
    const expression = scalarExpression(schema);
    this.#imports.add(expression.call);
    const text = print(expression);
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (schema.kind !== 'enum' && ((this.#uses.get(text) ?? 0) < 3 || text.length < 18)) return expression;
    const name = this.#nameFor(scalarName(schema));
    this.#texts.set(text, name);
    this.#declare(name, expression);
    return name;
  }

  #declare(name: string, expression: Expression): void {
    this.#declarations.push(`const ${name} = ${print(expression, '', name.length + 9)};`);
  }

  #objectName(schema: ObjectSchema): string {
    const known = this.#objects.get(schema);
    if (known !== undefined) return known;
    const { recursion } = schema;
    if (recursion !== undefined && recursion.group.length > 1) return this.#memberOfGroup(schema, recursion);
    if (recursion !== undefined) this.#imports.add('recursive');
    const expression =
      recursion === undefined
        ? this.#object(schema)
        : call('recursive', this.#object(recursion.template), ...this.#levels(recursion));
    const name = this.#nameFor(schema.name);
    this.#objects.set(schema, name);
    this.#declare(name, expression);
    return name;
  }

  /** Declares the objects that hold each other, and returns what names the one. */
  #memberOfGroup(schema: ObjectSchema, recursion: Recursion): string {
    this.#imports.add('mutuallyRecursive');
    const names = new UniqueNames();
    const written = recursion.group.map((each) => {
      return [names.take(constantName(each.name)), this.#object(each.recursion?.template ?? each)] as const;
    });
    const constant = this.#nameFor(`${schema.name}Types`);
    for (const [at, [name]] of written.entries()) this.#objects.set(recursion.group[at]!, `${constant}.${name}`);
    this.#declare(
      constant,
      call('mutuallyRecursive', members(Object.fromEntries(written), true), ...this.#levels(recursion)),
    );
    return this.#objects.get(schema)!;
  }

  #levels({ levels }: Recursion): readonly Expression[] {
    return levels === defaultLevels ? [] : [String(levels)];
  }

  #self({ name, namespace, extends: base }: ObjectSchema): Expression {
    this.#imports.add('self');
    if (base !== undefined) return call('self', quote(name), dataExpression({ namespace, extends: base }));
    return call('self', quote(name), ...(namespace === undefined ? [] : [quote(namespace)]));
  }

  #object(schema: ObjectSchema): Expression {
    const { variants, isAbstract } = schema;
    if (variants === undefined) return this.#plainObject(schema);
    this.#imports.add('polymorphic');
    const options = isAbstract ? members({ abstract: 'true' }) : undefined;
    return call(
      'polymorphic',
      this.#plainObject(schema),
      { items: variants.map((each) => (each.isSelf ? this.#self(each) : this.#objectName(each))) },
      options,
    );
  }

  #plainObject(schema: ObjectSchema): Expression {
    const { name, namespace, fields, choices, extends: base, hasOtherTypes, json, emptyObject } = schema;
    const written = Object.fromEntries(Object.entries(fields).map(([each, field]) => [each, this.#field(field)]));
    const options = members({
      ...dataMembers({ namespace, json, emptyObject, hasOtherTypes }),
      choices: choices.length === 0 ? undefined : { items: choices.map(choiceExpression) },
      extends: base && dataExpression(base),
    });
    return call('object', quote(name), members(written, true), options.members.length === 0 ? undefined : options);
  }

  #field(field: Field): Expression {
    const { schema, required, doc } = field;
    const written = required ? 'required' : 'optional';
    this.#imports.add(written);
    return call(written, this.#schema(schema), quote(doc), this.#namedOptions(field));
  }

  #options(field: Field): Expression | undefined {
    const { schema: _, required: __, doc: ___, ...options } = field;
    const entries = Object.entries(options).map(([name, value]) => [name, literal(value)] as const);
    return entries.length === 0 ? undefined : { members: entries };
  }

  #namedOptions(field: Field): Expression | undefined {
    const options = this.#options(field);
    const text = print(options ?? '');
    const known = this.#texts.get(text);
    if (options === undefined || known !== undefined) return known;
    const name = Object.entries(namedOptions).find(
      ([, each]) => print({ members: Object.entries(each).map(([key, value]) => [key, literal(value)]) }) === text,
    )?.[0];
    if (name === undefined || (this.#uses.get(text) ?? 0) < 2) return options;
    const unique = this.#nameFor(name);
    this.#texts.set(text, unique);
    this.#declarations.push(`const ${unique} = ${text} as const;`);
    return unique;
  }

  #nameFor(wanted: string): string {
    return this.#names.take(constantName(wanted));
  }

  #problemsName(): string {
    // The name of the first is reserved.
    this.#problemNames += 1;
    return this.#problemNames === 1 ? 'problems' : this.#names.take('problems');
  }
}

function constantName(wanted: string): string {
  const words = wanted.replace(/[^A-Za-z0-9_]+(.)?/g, (_, letter: string = '') => letter.toUpperCase());
  const lower = words.replace(/^[A-Z]+(?=[A-Z][a-z])|^[A-Z]+/, (start) => start.toLowerCase());
  return /^[A-Za-z_]/.test(lower) ? lower : `type${lower}`;
}

/** Adds a comment with the method and path that the operation may have at a JSON server, to be edited. */
function withBinding(text: string, { name, effect, input }: Pick<Operation, 'name' | 'effect' | 'input'>): string {
  const isQuery = effect === 'reads' && Object.values(input.fields).every(({ schema }) => isScalar(schema));
  const path = `/${name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase()}`;
  const binding = `upstream: { method: '${isQuery ? 'GET' : 'POST'}', path: ${quote(path)} },`;
  return text.replace(/\n {2}input: /, `\n  // ${binding}\n  input: `);
}

/** Declarations of one line that follow each other stand together. */
function spaced(parts: readonly string[]): string {
  const isShort = (part: string | undefined) => part?.startsWith('const ') === true && !part.includes('\n');
  return parts
    .filter((part) => part !== '')
    .map((part, at, all) => (at === 0 ? part : `${isShort(part) && isShort(all[at - 1]) ? '\n' : '\n\n'}${part}`))
    .join('');
}
