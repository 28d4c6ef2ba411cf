/** Describes the operations of operators as forms. */
import { isBound, type Operation } from '../../contract/operation.ts';
import { subjects } from '../../operators/index.ts';
import type { ViewHandlers } from '../console-context.ts';
import { consoleV1 } from '../contract.ts';
import { describeOperation } from '../explorer/describe-operation.ts';
import type { actionOperations } from './contract.ts';

export function actionHandlers(): ViewHandlers<(typeof actionOperations)[number]> {
  return {
    listActions: async () => ({
      actions: Object.entries(subjects).flatMap(([subject, { operations }]) =>
        (operations as readonly Operation[]).filter(isBound).map((operation) => {
          const { name, effect, doc, http } = operation;
          const { fields, minimal } = describeOperation(consoleV1, operation);
          return { subject, name, effect, doc, ...http, fields, minimal };
        }),
      ),
    }),
  };
}
