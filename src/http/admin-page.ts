/** An answer of the admin port. */

export interface Page {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  /** The methods of the path, where the method of the request is not one of them. */
  readonly allow?: readonly string[];
  /** How to authenticate, where the request did not. */
  readonly challenge?: string;
}

/** Returns an answer in JSON. */
export function jsonPage(status: number, value: object): Page {
  return {
    status,
    contentType: 'application/json; charset=utf-8',
    body: `${JSON.stringify(value)}\n`,
  };
}

/** Returns the refusal of a method that a path does not have. */
export function methodPage(methods: readonly string[]): Page {
  return { ...jsonPage(405, { methods }), allow: methods };
}
