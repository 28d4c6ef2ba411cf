/** Breaking changes between two OpenAPI documents. */
import { type Json, JsonSchemaComparison, record, resolve } from './json-schema.ts';

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

export function openApiChanges(before: Json, after: Json): readonly string[] {
  const found = new Set<string>();
  const report = (change: string): void => void found.add(change);
  const comparison = new JsonSchemaComparison(before, after, report);
  const newPaths = record(record(after).paths);
  for (const [path, item] of Object.entries(record(record(before).paths))) {
    for (const method of methods.filter((each) => record(item)[each] !== undefined)) {
      const operation = `${method.toUpperCase()} ${path}`;
      const next = record(newPaths[path])[method];
      if (next === undefined) report(`${operation}: the operation was removed`);
      else compareOperation(operation, inPlace(before, record(item)[method]), inPlace(after, next), comparison, report);
    }
  }
  return [...found];
}

/** An operation with the parameters and responses that it refers to. */
function inPlace(document: Json, operation: Json | undefined): Record<string, Json> {
  const { parameters, responses, ...others } = record(operation);
  const found = Object.entries(record(responses)).map(([status, each]) => [status, resolve(document, each)]);
  return {
    ...others,
    parameters: (Array.isArray(parameters) ? parameters : []).map((each) => resolve(document, each)),
    responses: Object.fromEntries(found),
  };
}

function compareOperation(
  name: string,
  before: Record<string, Json>,
  after: Record<string, Json>,
  comparison: JsonSchemaComparison,
  report: (change: string) => void,
): void {
  compareParameters(name, before, after, comparison, report);
  const [oldBody, newBody] = [record(before.requestBody), record(after.requestBody)];
  compareContent(`${name} request`, oldBody, newBody, (at, old, next) => comparison.request(at, old, next), report);
  if (newBody.required === true && oldBody.required !== true) report(`${name} request: the body became required`);
  const newResponses = record(after.responses);
  for (const [status, response] of Object.entries(record(before.responses))) {
    const where = `${name} ${status}`;
    const next = record(newResponses[status]);
    if (newResponses[status] === undefined) {
      // Removing an error response breaks nothing.
      if (status.startsWith('2')) report(`${where}: the response was removed`);
      continue;
    }
    compareContent(where, record(response), next, (at, old, now) => comparison.response(at, old, now), report);
    for (const header of Object.keys(record(record(response).headers)))
      if (record(next.headers)[header] === undefined) report(`${where}: the header ${header} was removed`);
  }
}

function compareParameters(
  name: string,
  before: Record<string, Json>,
  after: Record<string, Json>,
  comparison: JsonSchemaComparison,
  report: (change: string) => void,
): void {
  const parametersOf = (operation: Record<string, Json>) =>
    new Map(
      (Array.isArray(operation.parameters) ? operation.parameters : []).map((each) => {
        const parameter = record(each);
        return [`${parameter.in} parameter ${parameter.name}`, parameter] as const;
      }),
    );
  const [old, next] = [parametersOf(before), parametersOf(after)];
  for (const [key, parameter] of old) {
    const now = next.get(key);
    if (now === undefined) report(`${name}: the ${key} was removed`);
    else comparison.request(`${name} ${key}`, parameter.schema, now.schema);
  }
  for (const [key, parameter] of next)
    if (parameter.required === true && old.get(key)?.required !== true) report(`${name}: the ${key} became required`);
}

function compareContent(
  where: string,
  before: Record<string, Json>,
  after: Record<string, Json>,
  compare: (where: string, old: Json | undefined, next: Json | undefined) => void,
  report: (change: string) => void,
): void {
  const next = record(after.content);
  for (const [type, content] of Object.entries(record(before.content))) {
    if (next[type] === undefined) report(`${where}: the content type ${type} was removed`);
    else compare(`${where} ${type}`, record(content).schema, record(next[type]).schema);
  }
}
