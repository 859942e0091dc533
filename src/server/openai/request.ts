import { randomUUID } from 'node:crypto';
import {
  AgentError,
  checkClientTools,
  isJsonObject,
  type ClientTool,
  type Json,
  type JsonObject,
} from '../../core/index.ts';
import { isInternal } from '../../skills/catalog/entries.ts';
import { maySkill, mustHaveScope, storedSession, type Caller } from '../caller.ts';
import { aloneSession } from '../rest/own-runs.ts';
import type { ServerContext } from '../route-group.ts';
import { functionType } from './client-calls.ts';
import { badRequest } from './errors.ts';

/** A request with everything that an endpoint needs. */
export interface OpenAiCall {
  readonly context: ServerContext;
  readonly caller: Caller;
  readonly request: Request;
}

/** The name of the model that stands for the agent. `skilled/<name>` stands for a skill. */
export const agentModel = 'skilled';

/** Reads the body of a request as a JSON object. */
export async function readObject(request: Request): Promise<JsonObject> {
  const text = await request.text();
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    throw new AgentError('usage.bad-input', 'The body of the request must be JSON.', {
      hint: 'Send `Content-Type: application/json`.',
      details: { status: 415 },
    });
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw badRequest('The body of the request is not valid JSON.', 'Check commas and quotes.');
  }
  if (!isJsonObject(body)) throw badRequest('The body of the request must be a JSON object.');
  return body;
}

/** Returns the names of the models that a caller may use: the agent, and each skill that people may start. */
export function modelNames({ context, caller }: OpenAiCall): readonly string[] {
  const skills = context.agent.skills
    .list()
    .filter(
      (skill) =>
        skill.status === 'ready' &&
        !isInternal(skill) &&
        skill.card.userInvocable !== false &&
        maySkill(caller, skill),
    );
  return [agentModel, ...skills.map(({ name }) => `${agentModel}/${name}`)];
}

/** Returns the skill that a model's name selects. Throws `usage.not-found` for an unknown model. */
export function skillOf(call: OpenAiCall, model: Json | undefined): string | undefined {
  if (typeof model !== 'string') throw badRequest('"model" must be text.', `Use "${agentModel}".`);
  if (model === agentModel) return undefined;
  if (!modelNames(call).includes(model)) throw noModel(model);
  return model.slice(agentModel.length + 1);
}

/** Creates the error for a model that does not exist, or that the caller may not use. */
export function noModel(model: string): AgentError {
  return new AgentError('usage.not-found', `No model has the name ${JSON.stringify(model.slice(0, 100))}.`, {
    hint: 'GET /openai/v1/models lists the models that you may use.',
  });
}

/** Reads the client's tools, in the form of either API. Tools that OpenAI runs itself are refused. */
export function readTools(tools: Json | undefined, choice: Json | undefined): readonly ClientTool[] {
  if (tools === undefined || tools === null || choice === 'none') return [];
  if (!Array.isArray(tools)) throw badRequest('"tools" must be a list.');
  const read = (tools as readonly Json[]).map((tool) => {
    const { type, function: inner, ...outer } = isJsonObject(tool) ? tool : {};
    if (type !== functionType)
      throw badRequest(
        `Tools of the type ${JSON.stringify(type ?? null).slice(0, 60)} are not supported.`,
        'Use tools of the type "function".',
      );
    const { name, description, parameters } = isJsonObject(inner) ? inner : outer;
    return {
      name: name as string,
      description: typeof description === 'string' ? description : '',
      ...(isJsonObject(parameters) ? { input: parameters } : {}),
    };
  });
  checkClientTools(read);
  return read;
}

/** Reads the format of the answer, as in `response_format` or in `text.format`. */
export function readFormat(format: Json | undefined): JsonObject | undefined {
  if (format === undefined || format === null) return undefined;
  const { type, json_schema: inner, schema: outer } = isJsonObject(format) ? format : {};
  if (type === 'text') return undefined;
  if (type === 'json_object') return { type: 'object' };
  const schema = isJsonObject(inner) ? inner['schema'] : outer;
  if (type !== 'json_schema' || !isJsonObject(schema))
    throw badRequest(
      'The format of the answer is not valid.',
      'Use "text", "json_object", or "json_schema" with a schema.',
    );
  checkSchema(schema);
  return schema;
}

function checkSchema(schema: JsonObject): void {
  try {
    checkClientTools([{ name: 'format', description: '', input: schema }]);
  } catch {
    throw badRequest('The schema of the answer is not a JSON Schema that can be used.');
  }
}

const efforts: readonly string[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** Reads the reasoning effort. */
export function readEffort(effort: Json | undefined): string | undefined {
  if (effort === undefined || effort === null) return undefined;
  if (typeof effort !== 'string' || !efforts.includes(effort))
    throw badRequest('The reasoning effort is not valid.', `Use ${efforts.join(', ')}.`);
  return effort;
}

/** Returns the stored id of a session that a client names, or of a new session that only one run uses. */
export function sessionFor(caller: Caller, name: string | undefined): string {
  if (name === undefined) return aloneSession(randomUUID());
  if (!/^[\w.:-]{1,100}$/.test(name))
    throw badRequest(
      'The id of the session is not valid.',
      'Use 1 to 100 letters, digits, hyphens, underscores, dots and colons.',
    );
  return storedSession(caller, `openai-${name}`);
}

/** Returns the run that waits for the next message of a session. */
export async function waitingIn({ context }: OpenAiCall, session: string): Promise<string | undefined> {
  const [run] = await context.agent.runs.list({ session, status: ['waiting'], limit: 1 });
  return run?.id;
}

/** Throws `policy.denied` unless the caller may start runs. */
export function mayWrite({ caller }: OpenAiCall): void {
  mustHaveScope(caller, 'runs:write');
}
