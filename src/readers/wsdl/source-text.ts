/** Prints expressions of TypeScript on lines of at most 120 characters. */
import { escapeUnprintable } from '../../core/lib/index.ts';

/** A text as it is, a call, an object or an array. */
export type Expression = string | Call | Members | Items;

interface Call {
  readonly call: string;
  readonly parameters: readonly Expression[];
}

interface Members {
  readonly members: readonly (readonly [name: string, value: Expression])[];
  /** Each member has its own line. */
  readonly isLong?: boolean;
}

interface Items {
  readonly items: readonly Expression[];
}

const widthMax = 120;

/** `column`: where the text begins; `indent`: of its last line; `after`: the length of what follows on that line. */
export function print(expression: Expression, indent = '', column = indent.length, after = 1): string {
  const flat = printFlat(expression);
  if (typeof expression === 'string' || (!isLong(expression) && column + flat.length + after <= widthMax)) return flat;
  const inner = `${indent}  `;
  if ('members' in expression) {
    const lines = expression.members.map(([name, value]) => {
      const key = `${keyOf(name)}: `;
      return key === `${String(value)}: `
        ? `${inner}${keyOf(name)},\n`
        : `${inner}${key}${print(value, inner, inner.length + key.length)},\n`;
    });
    return `{\n${lines.join('')}${indent}}`;
  }
  if ('items' in expression) {
    const lines = expression.items.map((item) => `${inner}${print(item, inner)},\n`);
    return `[\n${lines.join('')}${indent}]`;
  }
  const { call, parameters } = expression;
  const others = parameters.slice(0, -1);
  const last = parameters.at(-1)!;
  // One object or array at the end opens on the line of the call.
  const start = `${call}(${others.map((each) => `${printFlat(each)}, `).join('')}`;
  const canHug = typeof last === 'object' && !('call' in last) && others.every((each) => typeof each === 'string');
  if (canHug && column + start.length + 1 <= widthMax) return `${start}${print(last, indent, column + start.length)})`;
  return `${call}(\n${parameters.map((each) => `${inner}${print(each, inner)},\n`).join('')}${indent})`;
}

function printFlat(expression: Expression): string {
  if (typeof expression === 'string') return expression;
  if ('call' in expression) return `${expression.call}(${expression.parameters.map(printFlat).join(', ')})`;
  if ('items' in expression) return `[${expression.items.map(printFlat).join(', ')}]`;
  if (expression.members.length === 0) return '{}';
  const members = expression.members.map(([name, value]) => {
    const text = printFlat(value);
    return text === keyOf(name) ? text : `${keyOf(name)}: ${text}`;
  });
  return `{ ${members.join(', ')} }`;
}

function isLong(expression: Exclude<Expression, string>): boolean {
  if ('members' in expression) return expression.isLong === true && expression.members.length > 0;
  const parts = 'call' in expression ? expression.parameters : expression.items;
  return parts.some((each) => typeof each === 'object' && isLong(each));
}

export function call(name: string, ...parameters: readonly (Expression | undefined)[]): Call {
  return { call: name, parameters: parameters.filter((each) => each !== undefined) };
}

/** Members that are undefined are left out. */
export function members(entries: Readonly<Record<string, Expression | undefined>>, isLong = false): Members {
  return {
    members: Object.entries(entries).filter((entry): entry is [string, Expression] => entry[1] !== undefined),
    isLong,
  };
}

/** A literal in the quotes that need fewer escapes. */
export function quote(text: string): string {
  const escaped = escapeUnprintable(JSON.stringify(text).slice(1, -1));
  const plain = escaped.replaceAll('\\"', '"');
  if (!plain.includes("'")) return `'${plain}'`;
  return escaped.includes('\\"') ? `'${plain.replaceAll("'", "\\'")}'` : `"${escaped}"`;
}

function keyOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name);
}
