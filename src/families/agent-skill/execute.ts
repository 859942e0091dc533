import {
  AgentError,
  fromErrorData,
  isAgentError,
  namedTier,
  normaliseName,
  optional,
  type ErrorData,
  type Json,
  type Output,
  type Scope,
  type Wanted,
} from '../../core/index.ts';
import { loopOutput } from '../../engines/loop/end.ts';
import type { LoopHooks } from '../../engines/loop/hooks.ts';
import { offerTools } from '../../engines/loop/offer-tools.ts';
import { baseSystem } from '../../engines/loop/prompt.ts';
import { runLoop } from '../../engines/loop/run-loop.ts';
import { aboutFiles, activate, outputOf } from './load.ts';
import type { AgentSkillDefinition } from './parse.ts';
import { runHooks } from './run-hooks.ts';

/** Lets a model carry out a skill in a conversation of its own, or the agent that the skill names. */
export function execute(definition: AgentSkillDefinition, input: Json, scope: Scope): Promise<Output> {
  return outputOf(async () => {
    const agent = await findAgent(definition, scope);
    const wanted = wantedBy(definition, scope);
    const { text } = await activate(definition, input, scope, () => mustHaveModel(wanted, scope));
    const { card } = scope.skill;
    const parts = [text === '' ? card.description : text, await aboutFiles(definition, scope)];
    const prompt = parts.filter((part) => part !== '').join('\n\n');
    if (agent !== undefined) return scope.call(agent, prompt, { asWritten: true, key: 'agent', wanted });
    return think(definition, prompt, wanted, scope);
  });
}

/** What the caller wants, else what the skill says. */
function wantedBy({ maxTicks, model: own, effort }: AgentSkillDefinition, scope: Scope): Wanted {
  const { model: asked = own, ...wanted } = scope.request.wanted;
  const model = asked === undefined ? undefined : namedTier(asked);
  if (model !== undefined && model !== asked) scope.note(`The model "${asked}" is the tier "${model}" here.`);
  return {
    ...optional('result', scope.skill.card.output),
    ...optional('maxTicks', maxTicks),
    ...optional('model', model),
    ...optional('effort', effort),
    ...wanted,
  };
}

/** No command runs for a model that cannot be asked; a replay finds what was found then. */
async function mustHaveModel({ model = 'execution' }: Wanted, scope: Scope): Promise<void> {
  const fault = await scope.step('model', () => (scope.model(model).fault ?? null) as Json);
  if (fault !== null) throw fromErrorData(fault as unknown as ErrorData);
}

const usualTicks = 10;
const mostHeard = 2_000; // tokens of what was said before in the session

async function think(
  definition: AgentSkillDefinition,
  prompt: string,
  { result, check, maxTicks = usualTicks, model, effort }: Wanted,
  scope: Scope,
): Promise<Output> {
  const before = scope.run.depth === 1 ? await scope.history(mostHeard) : []; // deeper down a skill works on its own
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

/** The hooks of a skill in its own conversation. */
function hooksOf(definition: AgentSkillDefinition, scope: Scope): LoopHooks | undefined {
  if (definition.hooks === undefined) return undefined;
  return {
    before: (call, key) => runHooks(definition, { moment: 'before', ...call }, `${key}.before.`, scope),
    after: (call, { text }, key) =>
      runHooks(definition, { moment: 'after', ...call, text }, `${key}.after.`, scope),
    stop: (text, key) => runHooks(definition, { moment: 'stop', text }, `${key}.stop.`, scope),
  };
}

/** The skill that does the work for another one; undefined when that does it itself. Throws when it cannot be used. */
async function findAgent({ agent = '' }: AgentSkillDefinition, scope: Scope): Promise<string | undefined> {
  if (['', 'general-purpose'].includes(normaliseName(agent))) return undefined;
  try {
    await scope.skills.inject([agent], 'light'); // finds it also when no model may choose it: a file names it
    return agent;
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    const { code, message, hint = 'Add a file for it to an "agents" folder, or remove "agent".' } = thrown;
    throw new AgentError(code, `"${scope.skill.name}" asks for the agent "${agent}": ${message}`, { hint });
  }
}
