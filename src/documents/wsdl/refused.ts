/** Something that the contract language cannot say. The nearest part that can do without it is left out. */
import type { LocatedElement } from '../../lib/xml/located.ts';

export class Refused extends Error {
  override readonly name = 'Refused';
  readonly element: LocatedElement;

  constructor(element: LocatedElement, message: string) {
    super(message);
    this.element = element;
  }
}
