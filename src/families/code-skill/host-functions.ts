import {
  AgentError,
  askValue,
  collect,
  isJsonObject,
  mustAnswer,
  optional,
  withoutThinking,
  type HostFunction,
  type Json,
  type JsonObject,
  type ModelRequest,
  type Output,
  type Scope,
} from '../../core/index.ts';

/** What the code of a skill may ask of the run that calls it; see `CodeScope`. */
export function hostFunctions(scope: Scope): Readonly<Record<'call' | 'model' | 'note', HostFunction>> {
  return {
    call: async ([name, input = null]) => (await callSkill(scope, name, input)) as unknown as Json,
    model: ([prompt, options = {}]) => askModel(scope, prompt, options),
    note: async ([message, data]) => {
      if (typeof message !== 'string') throw misused('scope.note(message, data) needs a text.');
      scope.note(message, data);
      return null;
    },
  };
}

/** The call of another skill, or of itself; those that wait for a person to call them are refused. */
async function callSkill(scope: Scope, name: Json | undefined, input: Json): Promise<Output> {
  if (typeof name !== 'string') throw misused('scope.call(name, input) needs the name of a skill.');
  const { modelInvocable, listed } = scope.skills.lookUp(name)?.card ?? {};
  if (modelInvocable !== false && listed !== false) return scope.call(name, input);
  const message = `"${scope.skill.name}" may not call "${name}": only a person may.`;
  scope.note(message);
  const hint = `Call "${name}" yourself, or let models choose it.`;
  return { status: 'failed', text: message, error: { code: 'policy.denied', message, hint } };
}

const usualTier = 'execution';

async function askModel(scope: Scope, prompt: Json | undefined, options: Json): Promise<Json> {
  if (typeof prompt !== 'string' || prompt.trim() === '' || !isJsonObject(options))
    throw misused('scope.model(prompt, options) needs a text, and an object behind it if anything.');
  const model = scope.model(textIn(options, 'tier') ?? usualTier);
  const messages = [{ role: 'user', text: prompt }] as const;
  const request: ModelRequest = { messages, ...optional('system', textIn(options, 'system')) };
  const { schema } = options;
  if (schema !== undefined && !isJsonObject(schema))
    throw misused('The schema for scope.model is no object.');
  if (schema !== undefined) return (await askValue(model, request, schema, scope.signal)).value;
  const reply = await collect(model.stream(request, scope.signal));
  mustAnswer(model, reply);
  return withoutThinking(reply.text);
}

function textIn(options: JsonObject, key: string): string | undefined {
  const { [key]: value } = options;
  if (value === undefined || typeof value === 'string') return value;
  throw misused(`"${key}" for scope.model is no text.`);
}

function misused(message: string): AgentError {
  return new AgentError('usage.bad-input', message);
}
