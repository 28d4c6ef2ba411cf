/** Answers the operations of the explorer. */
import { rolesFor } from '../../contract/roles.ts';
import { newestOf, type Service } from '../../contract/service.ts';
import { languageNames, languages, printCallSource } from '../../convert/call-source.ts';
import { createConverter } from '../../convert/convert.ts';
import { createMessageEditor } from '../../convert/draft/message-editor.ts';
import { createProtocols, formatsOf } from '../../formats/index.ts';
import { bindHandlers, type OperationHandlers } from '../../gateway/implement.ts';
import type { ConsolePorts } from '../ports.ts';
import { explorerOperations } from './contract.ts';
import { describeOperation } from './describe-operation.ts';
import { editMessage, findOperation, parseDraft, textOf } from './edit-message.ts';
import type { ExplorerPort } from './port.ts';
import { sendRequest } from './send-request.ts';

export function explorerHandlers({ explorer: port }: Pick<ConsolePorts, 'explorer'>): OperationHandlers {
  const { services, mask } = port;
  const protocols = createProtocols(services);
  const editor = createMessageEditor(services);
  const convert = createConverter(services, mask);
  return bindHandlers(explorerOperations, {
    listExplorerOperations: async () => listOperations(port),
    describeExplorerOperation: async ({ input }) => {
      const { service, operation } = findOperation(services, input);
      return describeOperation(service, operation);
    },
    editMessage: async ({ input }) => editMessage(input, { services, editor, convert }),
    printPrograms: async ({ input: { format, credential, ...input } }) => {
      const { service, operation } = findOperation(services, input);
      const { input: value, issues } = editor.readDraft(service, operation, parseDraft(textOf(input)));
      const isCarried = format === undefined || formatsOf(operation, service).includes(format);
      if (issues.length > 0 || !isCarried) return {};
      const request = { service, operation, input: value };
      const options = { origin: port.origin(), format, credential };
      return {
        programs: languageNames.map((language) => ({
          language,
          title: languages[language].title,
          file: languages[language].file,
          text: printCallSource(language, request, protocols, options),
        })),
      };
    },
    sendExplorerRequest: {
      // Sent before the transaction: the gateway writes to the same store.
      lookup: ({ input }) => sendRequest(input, { port, convert }),
      handle: async (_request, _transaction, _context, answer: Awaited<ReturnType<typeof sendRequest>>) => answer,
    },
  });
}

function authorizesSome(service: Service, roles: readonly string[]): boolean {
  return [...service.operations.values()].some((each) => rolesFor(service, each).some((role) => roles.includes(role)));
}

function listOperations({ services, demoCredentials }: ExplorerPort) {
  const newest = newestOf(services);
  // In the order of the services, and of each the newest version first.
  const ordered = newest.flatMap(({ name }) => services.filter((each) => each.name === name).toReversed());
  return {
    operations: ordered.flatMap((service) =>
      [...service.operations.values()].map(({ name, effect, doc }) => ({
        service: service.name,
        version: service.version,
        operation: name,
        ...service.answers,
        isNewest: newest.includes(service),
        effect,
        doc,
      })),
    ),
    demoCredentials: [...demoCredentials].map(([name, { roles }]) => ({
      name,
      services: newest.filter((each) => authorizesSome(each, roles)).map((each) => each.name),
    })),
  };
}
