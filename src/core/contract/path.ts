/** Paths into a canonical value; each format prints them as coordinates of its own. */

/** One item of a list, with what the formats need to print it. */
export interface ItemStep {
  readonly index: number;
  readonly itemName: string;
  readonly wrapped: boolean;
  /** Of an item that is a member of an object in JSON. */
  readonly key?: string;
}

/** A member by its name, or an item of a list. */
export type Step = string | ItemStep;
/** The way from the input to one of its parts. */
export type Path = readonly Step[];

/** The name of a member as a step of the names in a form, where a dot is between two steps: `Nick%2EName`. */
export function formStep(name: string): string {
  return name.includes('.') ? name.replaceAll('.', '%2E') : name;
}

/** The path as FORM callers write it, dots in names included. */
export function formPath(path: Path): string {
  return dotted(path.map((step) => (typeof step === 'string' ? formStep(step) : step)));
}

/** `details.0.card.number`: the neutral form. */
export function dotted(path: Path): string {
  return path.map(keyOf).join('.');
}

/** The name or the index of a step, as the key of a value in JavaScript. */
export function keyOf(step: Step): string {
  return typeof step === 'string' ? step : String(step.index);
}
