/** Answers the operations of the explorer. */

import {
  createConverter,
  createMessageEditor,
  languageNames,
  languages,
  printCallSource,
} from '../../convert/index.ts';
import { maskText, newestOf, rolesFor, type Service } from '../../core/contract/index.ts';
import { createProtocols, formatsOf } from '../../core/formats/index.ts';
import { type ConsoleContext, type DemoCaller, originForCallers, type ViewHandlers } from '../console-context.ts';
import { editMessage, findOperation, parseDraft, textOf } from '../converter/edit-message.ts';
import { describeOperation } from '../form/describe-operation.ts';
import { type SendParts, sendRequest } from '../sender/send-request.ts';
import { sendToCallersPort } from '../sender/send-to-callers-port.ts';
import type { explorerOperations } from './contract.ts';

export function explorerHandlers(context: ConsoleContext): ViewHandlers<(typeof explorerOperations)[number]> {
  const { services, callers, demoCallers = new Map(), traffic } = context;
  const protocols = createProtocols(services);
  const editor = createMessageEditor(services);
  const convert = createConverter(services);
  const toCallersPort = sendToCallersPort({ origin: callers, certificate: context.certificate });
  const parts: SendParts = {
    services,
    demoCredentials: demoCallers,
    maskText,
    convert,
    send(request) {
      // The sender may look for it in the traffic.
      traffic?.watch();
      return toCallersPort(request);
    },
  };
  return {
    listExplorerOperations: async () => listOperations(services, demoCallers),
    describeExplorerOperation: async (input) => {
      const { service, operation } = findOperation(services, input);
      return describeOperation(service, operation);
    },
    editMessage: async (input) => editMessage(input, { services, editor, convert }),
    printPrograms: async ({ format, credential, ...input }) => {
      const { service, operation } = findOperation(services, input);
      const { input: value, issues } = editor.readDraft(service, operation, parseDraft(textOf(input)));
      const isCarried = format === undefined || formatsOf(operation, service).includes(format);
      if (issues.length > 0 || !isCarried) return {};
      const request = { service, operation, input: value };
      const options = { origin: originForCallers(context), format, credential };
      return {
        programs: languageNames.map((language) => ({
          language,
          title: languages[language].title,
          file: languages[language].file,
          text: printCallSource(language, request, protocols, options),
        })),
      };
    },
    sendExplorerRequest: (input) => sendRequest(input, parts),
  };
}

function authorizesSome(service: Service, roles: readonly string[]): boolean {
  return [...service.operations.values()].some((each) => rolesFor(service, each).some((role) => roles.includes(role)));
}

function listOperations(services: readonly Service[], demoCredentials: ReadonlyMap<string, DemoCaller>) {
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
