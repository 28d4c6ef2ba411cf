/** Starts an HTTP updater that records its requests and answers as the test configures. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenLocally } from './listen-locally.ts';

export interface Question {
  readonly id: string;
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  readonly traceparent: string | undefined;
  readonly body: Readonly<Record<string, string>>;
}

export type Answerer = (question: Question, response: ServerResponse, request: IncomingMessage) => void;

export interface TestUpdater {
  readonly url: string;
  /** The requests in order of arrival. */
  readonly asked: Question[];
  /** Answers the requests from now on. */
  answer: Answerer;
  close(): Promise<void>;
}

/** The answers for the test cards with an outcome of their own: `result` and its fields. */
export const cardOutcomes = Object.freeze({
  '4000009900000012': { result: 'NoChange' },
  '4000009900000020': { result: 'CardExpiryChanged', newExpiryMonth: '3', newExpiryYear: '2031' },
  '4000009900000038': {
    result: 'PANChanged',
    newNumber: '4000009900000012',
    newExpiryMonth: '3',
    newExpiryYear: '2031',
  },
  '4000009900000046': { result: 'CloseAccount' },
  '4000009900000053': { result: 'ContactCardAccountHolder' },
  '4000009900000061': { result: 'Success' },
  '4000009900000079': { result: 'Error' },
}) satisfies Readonly<Record<string, object>>;

export const outcomeOf = (number: string | undefined): object =>
  Object.entries(cardOutcomes).find(([each]) => each === number)?.[1] ?? { result: 'NoChange' };

export const say = (response: ServerResponse, answer: unknown, status = 200, type = 'application/json'): void => {
  response
    .writeHead(status, { 'content-type': type })
    .end(typeof answer === 'string' ? answer : JSON.stringify(answer));
};

export const answerByCard: Answerer = ({ body }, response) => say(response, outcomeOf(body.number));

export const down: Answerer = (_, response) => say(response, {}, 503);

export const startUpdater = async (): Promise<TestUpdater> => {
  const asked: Question[] = [];
  const updater = { asked, answer: answerByCard };
  const server = createServer(async (request, response) => {
    const question: Question = {
      id: String(request.headers['idempotency-key']),
      authorization: request.headers.authorization,
      contentType: request.headers['content-type'],
      traceparent: request.headers.traceparent?.toString(),
      body: JSON.parse(await text(request)),
    };
    asked.push(question);
    updater.answer(question, response, request);
  });
  const port = await listenLocally(server);
  return Object.assign(updater, {
    url: `http://127.0.0.1:${port}/checks`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
};
