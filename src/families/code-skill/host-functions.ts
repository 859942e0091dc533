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

/** Returns the functions that a skill's code can call while it runs. See `CodeScope`. */
export function hostFunctions(scope: Scope): Readonly<Record<'call' | 'model' | 'note', HostFunction>> {
  return {
    call: async ([name, input = null]) => (await callSkill(scope, name, input)) as unknown as Json,
    model: ([prompt, options = {}]) => askModel(scope, prompt, options),
    note: async ([message, data]) => {
      if (typeof message !== 'string') throw misused('scope.note(message, data) needs a message (string).');
      scope.note(message, data);
      return null;
    },
  };
}

/** Calls a skill, including the calling skill itself. Refuses skills that only users may call. */
async function callSkill(scope: Scope, name: Json | undefined, input: Json): Promise<Output> {
  if (typeof name !== 'string') throw misused('scope.call(name, input) needs the name of a skill (string).');
  const { modelInvocable, listed } = scope.skills.lookUp(name)?.card ?? {};
  if (modelInvocable !== false && listed !== false) return scope.call(name, input);
  const message = `"${scope.skill.name}" may not call "${name}": only a person may call it.`;
  scope.note(message);
  const hint = `Call "${name}" yourself, or allow models to call it.`;
  return { status: 'failed', text: message, error: { code: 'policy.denied', message, hint } };
}

const usualTier = 'execution';

async function askModel(scope: Scope, prompt: Json | undefined, options: Json): Promise<Json> {
  if (typeof prompt !== 'string' || prompt.trim() === '' || !isJsonObject(options))
    throw misused('scope.model(prompt, options) needs a prompt (string) and, if given, options (object).');
  const model = scope.model(textIn(options, 'tier') ?? usualTier);
  const messages = [{ role: 'user', text: prompt }] as const;
  const request: ModelRequest = { messages, ...optional('system', textIn(options, 'system')) };
  const { schema } = options;
  if (schema !== undefined && !isJsonObject(schema))
    throw misused('"schema" for scope.model must be an object.');
  if (schema !== undefined) return (await askValue(model, request, schema, scope.signal)).value;
  const reply = await collect(model.stream(request, scope.signal));
  mustAnswer(model, reply);
  return withoutThinking(reply.text);
}

function textIn(options: JsonObject, key: string): string | undefined {
  const { [key]: value } = options;
  if (value === undefined || typeof value === 'string') return value;
  throw misused(`"${key}" for scope.model must be a string.`);
}

function misused(message: string): AgentError {
  return new AgentError('usage.bad-input', message);
}
