/** Reads what the entry points of the package export: names, comments and declarations. */
import { writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { type Node, SyntaxKind } from 'typescript/unstable/ast';
import {
  API,
  type Checker,
  type Symbol as NamedSymbol,
  NodeBuilderFlags,
  type Project,
  SymbolFlags,
} from 'typescript/unstable/sync';

export interface Declaration {
  readonly name: string;
  readonly isType: boolean;
  readonly doc: string;
  /** The TypeScript declaration, with the comments of its members. */
  readonly text: string;
  /** The entry point whose section has the declaration, where it is another one. */
  readonly seeEntry?: string;
}

export interface EntryPoint {
  /** As programs import it: `triglyph/contract`. */
  readonly name: string;
  readonly declarations: readonly Declaration[];
}

export interface PublicApi {
  readonly entries: readonly EntryPoint[];
  readonly faults: readonly string[];
}

const entryNames = ['index', 'contract', 'koa', 'testing'] as const;

/** `folder`: the declarations of the whole package. Writes a tsconfig.json there. */
export function readDeclarations(folder: string): PublicApi {
  const config = join(folder, 'tsconfig.json');
  const files = entryNames.map((name) => `program/api/${name}.d.ts`);
  const compilerOptions = { module: 'nodenext', strict: true, noEmit: true, allowImportingTsExtensions: true };
  writeFileSync(config, JSON.stringify({ compilerOptions, files }));
  const api = new API({ cwd: folder });
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (project === undefined) throw new Error(`${config} is not a project`);
    return readProject(project, folder);
  } finally {
    api.close();
  }
}

interface Exported {
  readonly name: string;
  readonly symbol: NamedSymbol;
}

function readProject({ program, checker }: Project, folder: string): PublicApi {
  const exportsOf = (entry: string): readonly Exported[] => {
    const file = program.getSourceFile(join(folder, 'program/api', `${entry}.d.ts`));
    const module = file && checker.getSymbolAtLocation(file);
    if (module === undefined) throw new Error(`${entry} is not a module`);
    return checker.getExportsOfModule(module).map((each) => ({ name: each.name, symbol: resolve(checker, each) }));
  };
  const all = entryNames.map((entry) => ({ name: importedAs(entry), exported: exportsOf(entry) }));
  const exportedIds = new Set(all.flatMap(({ exported }) => exported.map(({ symbol }) => symbol.id)));
  const faults = new Set<string>();
  const entryOf = new Map<number, string>();
  const entries = all.map(({ name: entry, exported }) => ({
    name: entry,
    declarations: exported.map(({ name, symbol }): Declaration => {
      const node = declarationOf(symbol);
      const doc = checker.getDocumentationCommentOfSymbol(symbol).trim();
      if (doc === '') faults.add(`${name} has no comment`);
      const used = privateNames(checker, node, exportedIds, folder);
      const names = used.length === 0 ? undefined : literalNames(checker, symbol, node);
      if (names === undefined)
        for (const each of used)
          if (!undescribed.has(each)) faults.add(`${name} names ${each}, which no entry point exports`);
      const seeEntry = entryOf.get(symbol.id);
      if (seeEntry === undefined) entryOf.set(symbol.id, entry);
      const text = names ?? textOf(node);
      return { name, isType: isType(symbol), doc, text, ...(seeEntry !== undefined && { seeEntry }) };
    }),
  }));
  return { entries, faults: [...faults] };
}

/** Parts of a server, which services with more than handlers and tables get. The page does not describe them: they may change. */
const undescribed: ReadonlySet<string> = new Set([
  ...['AnyConstructor', 'Implementation', 'JobRepository', 'Outbox', 'RowIntegrity', 'Sealed', 'SealScope', 'Values'],
  ...['ComputedDefault', 'Difference', 'Key', 'OlderVersionParts', 'Seal', 'Side'],
  ...['AuditDetail', 'Belonging', 'CheckedHandlers', 'ColumnsRow', 'Config', 'CredentialRules', 'DataTable', 'Dialect'],
  ...['Engine', 'EventCounter', 'FieldsOf', 'GrantRule', 'JobHandler', 'JobQueue', 'Log', 'Mac', 'Metrics', 'NameIn'],
  ...[
    'NamedColumn',
    'NamedIndex',
    'NamesOf',
    'NumberIn',
    'OlderVersion',
    'OperationHandlers',
    'Panel',
    'PlatformParts',
    'RecurringParts',
  ],
  ...['Retention', 'RowImporter', 'ServerParts', 'SharedObjects', 'TableOwner', 'TableParts', 'TenantIn'],
  ...[
    'TextDetector',
    'TraceCall',
    'Vault',
    'WebhookFormat',
    'nullable',
    'Limits',
    'Snake',
    'Unopened',
    'recurringSettings',
    'settings',
  ],
]);

const importedAs = (entry: string): string => (entry === 'index' ? 'triglyph' : `triglyph/${entry}`);

function resolve(checker: Checker, symbol: NamedSymbol): NamedSymbol {
  return symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** What `export type` exports has no value at run time, whatever it is; a class is listed with the values. */
function isType({ flags }: NamedSymbol): boolean {
  return (flags & SymbolFlags.Value) === 0;
}

function declarationOf(symbol: NamedSymbol): Node {
  const node = symbol.declarations[0]?.resolve();
  if (node === undefined) throw new Error(`${symbol.name} has no declaration`);
  return node;
}

function textOf(node: Node): string {
  const text = node.getText().replace(/^export (?:declare )?/, '');
  const declared = node.kind === SyntaxKind.VariableDeclaration ? `const ${text}` : text;
  // The compiler indents by four blanks.
  return declared.replaceAll(/^(?: {4})+/gm, (blanks) => ' '.repeat(blanks.length / 2));
}

/** A type of literal texts that private names derive is printed with its texts. Undefined for other types. */
function literalNames(checker: Checker, symbol: NamedSymbol, node: Node): string | undefined {
  if (node.kind !== SyntaxKind.TypeAliasDeclaration) return undefined;
  const flags = NodeBuilderFlags.NoTruncation | NodeBuilderFlags.InTypeAlias;
  const text = checker.typeToString(checker.getDeclaredTypeOfSymbol(symbol), undefined, flags);
  const names = text.split(' | ');
  if (names.length < 2 || !names.every((each) => /^"[\w-]+"$/.test(each))) return undefined;
  return `type ${symbol.name} =\n${names
    .sort()
    .map((each) => `  | ${each.replaceAll('"', "'")}`)
    .join('\n')};`;
}

/** Returns the names of this package in a declaration that no entry point exports. */
function privateNames(checker: Checker, node: Node, exported: ReadonlySet<number>, folder: string): readonly string[] {
  const names: string[] = [];
  const visit = (each: Node): void => {
    if (each.kind === SyntaxKind.Identifier) {
      const found = checker.getSymbolAtLocation(each);
      const symbol = found && resolve(checker, found);
      if (symbol !== undefined && !exported.has(symbol.id) && isTopLevel(symbol, folder)) names.push(symbol.name);
    }
    each.forEachChild(visit);
  };
  visit(node);
  return names;
}

function isTopLevel({ declarations }: NamedSymbol, folder: string): boolean {
  const [handle] = declarations;
  if (handle === undefined || relative(folder, handle.path).startsWith(`..${sep}`)) return false;
  const node = handle.resolve();
  const statement = node?.kind === SyntaxKind.VariableDeclaration ? node.parent?.parent : node;
  return statement?.parent?.kind === SyntaxKind.SourceFile;
}
