/** Describes the operations of operators as forms. */
import { type BoundOperation, isBound, type Operation, type Service } from '../../core/contract/index.ts';
import type { ViewHandlers } from '../console-context.ts';
import { describeOperation } from '../form/describe-operation.ts';
import type { actionOperations } from './contract.ts';

/** `bySubject`: the operations of operators. `isOffered`: whether the people who read the list may call an operation. */
export function actionHandlers(
  service: Service,
  bySubject: ReadonlyMap<string, readonly Operation[]>,
  isOffered: (operation: Operation) => boolean,
): ViewHandlers<(typeof actionOperations)[number]> {
  const isServed = (operation: Operation): operation is BoundOperation =>
    isBound(operation) && service.operations.get(operation.name) === operation && isOffered(operation);
  return {
    listActions: async () => ({
      actions: [...bySubject].flatMap(([subject, operations]) =>
        operations.filter(isServed).map((operation) => {
          const { name, effect, doc, http } = operation;
          const { fields, minimal } = describeOperation(service, operation);
          return { subject, name, effect, doc, ...http, fields, minimal };
        }),
      ),
    }),
  };
}
