/** Chance, as the domain is given it. */

/** So many decimal digits, each as likely as any other; whoever composes the server says where they come from. */
export type Digits = (count: number) => string;
