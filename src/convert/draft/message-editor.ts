/** Edits a request in any format: reads it to a draft, and writes the draft in all formats, with the place of each issue. */
import {
  type CompileRead,
  compileRead,
  IssueCollector,
  namesInPath,
  type Operation,
  type Service,
} from '../../core/contract/index.ts';
import { createProtocols, formatsOf, PartRecorder } from '../../core/formats/index.ts';
import { compileRoutes } from '../../core/gateway/index.ts';
import { CoercionRecorder, type FoundCoercion } from '../coercions.ts';
import type { Coercion } from '../conversion.ts';
import { textOf } from '../http-message.ts';
import { identifyAndRead, type UnreadMessage } from '../identify-and-read.ts';
import { createLocator } from '../locate.ts';
import { findLosses } from '../losses.ts';
import type { ReadMessage } from '../read-message.ts';
import { writeMessages } from '../write-messages.ts';
import { type Draft, type DraftObject, isDraftObject } from './draft.ts';
import { draftReader } from './draft-reader.ts';
import type { EditedRequest, EditedText, PlacedIssue } from './edited-request.ts';
import { compileReadDraft } from './read-draft.ts';
import { createWriter, placeIssues } from './write-draft.ts';

export type MessageEditor = ReturnType<typeof createMessageEditor>;

/** `services`: newest last. */
export function createMessageEditor(services: readonly Service[]) {
  const recorder = new DraftRecorder();
  const partRecorder = new PartRecorder(recorder.compileRead);
  const protocols = createProtocols(services, undefined, partRecorder.compileRead);
  const write = createWriter(protocols);
  const known = { services, protocols, routes: compileRoutes(services) };
  return Object.freeze({
    /** Throws ConversionError. Answers and errors are returned as they are read: they are not edited. */
    readText(message: UnreadMessage & { readonly message: string }): EditedText | ReadMessage {
      recorder.take();
      partRecorder.take();
      const read = identifyAndRead(message, known);
      const parts = partRecorder.take();
      const { drafts, coercions } = recorder.take();
      const { service, operation, format, issues, side, content } = read;
      if (side !== 'request' || content.kind !== 'value') return read;
      const locate = createLocator({ text: textOf(message.message), parts, operation, side: 'input' });
      const draft = withoutPlaceholders(operation, Object.assign({}, ...drafts.filter(isDraftObject)));
      return { service, operation, format, draft, input: content.value, issues, coercions, locate };
    },
    readDraft(service: Service, operation: Operation, draft: DraftObject): EditedRequest {
      const collector = new IssueCollector();
      const input = compileRead(operation.input, draftReader)(draft, collector) ?? Object.freeze({});
      return { service, operation, draft, input, issues: collector.issues };
    },
    /** The request in all formats that carry its operation. */
    write,
    placeIssues: (text: EditedText): readonly PlacedIssue[] => placeIssues(text.issues, text, protocols, text.locate),
    /** What reading the text changes, and what other formats cannot hold. */
    coercionsOf(text: EditedText): readonly Coercion[] {
      const { service, operation, format, coercions, issues, input, locate } = text;
      const content = { kind: 'value', schema: operation.input, value: input } as const;
      const message = { service, operation, namesOperation: true, side: 'request', content } as const;
      const targets = issues.length === 0 ? formatsOf(operation, service) : [];
      const losses = findLosses(message, writeMessages(targets, message, protocols), known);
      recorder.take();
      partRecorder.take();
      return [...coercions, ...losses].map(({ path, ...coercion }): Coercion => {
        const place = locate(path);
        const at = protocols[format].coordinates(path, operation, 'input');
        return { at, ...coercion, ...(place !== undefined && { place }) };
      });
    },
  });
}

/** A field in the path has its name in braces where it is missing. */
function withoutPlaceholders({ http }: Operation, draft: DraftObject): DraftObject {
  if (http === undefined) return draft;
  const names = namesInPath(http.path).filter((name) => draft[name] === `{${name}}`);
  return Object.fromEntries(Object.entries(draft).filter(([name]) => !names.includes(name)));
}

/** Reads as protocols do, and records drafts and coercions. */
class DraftRecorder {
  readonly #coercions = new CoercionRecorder();
  #drafts: Draft[] = [];

  readonly compileRead: CompileRead = (schema, reader, sender) => {
    const read = this.#coercions.compileRead(schema, reader, sender);
    const readDraft = compileReadDraft(schema, reader);
    return (node, collector) => {
      const value = read(node, collector);
      const draft = readDraft(node);
      if (draft !== undefined) this.#drafts.push(draft);
      return value;
    };
  };

  /** Returns what was recorded since the last call. */
  take(): { readonly drafts: readonly Draft[]; readonly coercions: readonly FoundCoercion[] } {
    const drafts = this.#drafts;
    this.#drafts = [];
    return { drafts, coercions: this.#coercions.take() };
  }
}
