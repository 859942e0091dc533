import {
  AgentError,
  fromErrorData,
  isAgentError,
  namedTier,
  normaliseName,
  optional,
  type ErrorData,
  type HookEvent,
  type Json,
  type Output,
  type Scope,
  type CallOverrides,
} from '../../core/index.ts';
import { loopOutput } from '../../engines/loop/end.ts';
import type { LoopHooks } from '../../engines/loop/hooks.ts';
import { offerTools } from '../../engines/loop/offer-tools.ts';
import { baseSystem } from '../../engines/loop/prompt.ts';
import { runLoop } from '../../engines/loop/run-loop.ts';
import { aboutFiles, activate, outputOf } from './load.ts';
import type { AgentSkillDefinition } from './parse.ts';
import { runHooks } from './run-hooks.ts';

/**
 * Runs a skill's instructions with the agent that its file names or, without one, in a separate conversation
 * with a model.
 */
export function execute(definition: AgentSkillDefinition, input: Json, scope: Scope): Promise<Output> {
  return outputOf(async () => {
    const agent = await findAgent(definition, scope);
    const overrides = mergeOverrides(definition, scope);
    const { text } = await activate(definition, input, scope, () => mustHaveModel(overrides, scope));
    const { card } = scope.skill;
    const parts = [text === '' ? card.description : text, await aboutFiles(definition, scope)];
    const prompt = parts.filter((part) => part !== '').join('\n\n');
    if (agent !== undefined) return scope.call(agent, prompt, { asWritten: true, key: 'agent', overrides });
    return think(definition, prompt, overrides, scope);
  });
}

/** Combines the caller's overrides with the skill's settings. The overrides take precedence. */
function mergeOverrides({ maxTicks, model: own, effort }: AgentSkillDefinition, scope: Scope): CallOverrides {
  const { model: asked = own, ...overrides } = scope.request.overrides;
  const model = asked === undefined ? undefined : namedTier(asked);
  if (model !== undefined && model !== asked)
    scope.note(`The model "${asked}" was mapped to the tier "${model}".`);
  return {
    ...optional('result', scope.skill.card.output),
    ...optional('maxTicks', maxTicks),
    ...optional('model', model),
    ...optional('effort', effort),
    ...overrides,
  };
}

/**
 * Throws if the model cannot be used. Called before any command runs. A replay uses the recorded result of
 * this check.
 */
async function mustHaveModel({ model = 'execution' }: CallOverrides, scope: Scope): Promise<void> {
  const fault = await scope.step('model', () => (scope.model(model).fault ?? null) as Json);
  if (fault !== null) throw fromErrorData(fault as unknown as ErrorData);
}

const usualTicks = 10;
const historyTokens = 2_000; // The maximum number of tokens in the earlier turns that are included.

async function think(
  definition: AgentSkillDefinition,
  prompt: string,
  { result, check, maxTicks = usualTicks, model, effort }: CallOverrides,
  scope: Scope,
): Promise<Output> {
  // Include earlier turns only if no other skill called this one.
  const before = scope.run.depth === 1 ? await scope.history(historyTokens, { textOnly: true }) : [];
  const end = await runLoop(scope, {
    system: baseSystem,
    prompt: before.length === 0 ? prompt : [...before, { role: 'user', text: prompt }],
    tools: await offerTools(scope, { request: prompt }),
    maxSteps: maxTicks,
    ...optional('tier', model),
    ...optional('effort', effort),
    ...(result === undefined ? {} : { submit: { schema: result, ...optional('check', check) } }),
    ...optional('hooks', hooksOf(definition, scope)),
  });
  return loopOutput(end);
}

/** Returns the hooks for the conversation that runs the skill. */
function hooksOf(definition: AgentSkillDefinition, scope: Scope): LoopHooks | undefined {
  const { hooks, pluginHooks, pluginDir } = definition;
  if (hooks === undefined && pluginHooks === undefined) return undefined;
  const run = (event: HookEvent, key: string): Promise<string | undefined> =>
    runHooks(definition, { ...event, shared: true }, `${key}.${event.moment}.`, scope);
  return {
    ...(pluginHooks === undefined ? {} : optional('sharedId', pluginDir)),
    before: (call, key) => run({ moment: 'before', ...call }, key),
    after: (call, { text }, key) => run({ moment: 'after', ...call, text }, key),
    stop: (text, key) => run({ moment: 'stop', text }, key),
  };
}

/**
 * Returns the agent that the skill names, or undefined if the skill runs without one. Throws if the agent
 * cannot be used.
 */
async function findAgent({ agent = '' }: AgentSkillDefinition, scope: Scope): Promise<string | undefined> {
  if (['', 'general-purpose'].includes(normaliseName(agent))) return undefined;
  try {
    // Agents that are hidden from models are allowed too, because the name comes from a file.
    await scope.skills.inject([agent], 'light');
    return agent;
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    const {
      code,
      message,
      hint = 'Add the agent file to an "agents" folder, or remove the field "agent".',
    } = thrown;
    throw new AgentError(
      code,
      `"${scope.skill.name}" names the agent "${agent}", which cannot be used: ${message}`,
      {
        hint,
      },
    );
  }
}
