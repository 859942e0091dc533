import { AgentError } from '../../core/error.ts';
import type { Json } from '../../core/json.ts';
import { namedTier } from '../../core/model/sources.ts';
import { optional } from '../../core/collections.ts';
import type { Output } from '../../core/run.ts';
import type { Scope } from '../../core/scope.ts';
import { runLoop, type LoopRequest } from '../../engines/loop.ts';
import { loopOutput } from '../../engines/loop/end.ts';
import { failedOutput } from '../../engines/loop/failed-output.ts';
import { offerTools } from '../../engines/loop/offer-tools.ts';
import { skillTools } from '../../engines/loop/tools.ts';
import { lacksReader, listsSkills, wantsCatalog } from './card.ts';
import type { SubagentDefinition } from './definition.ts';
import { effortFor } from './effort-for.ts';
import { ownTools } from './own-tools.ts';
import { provideListed } from './server-tools.ts';
import { saveAnswer } from './save-answer.ts';
import { buildSystemText } from './system-text.ts';
import { buildTaskText, taskIn } from './task-text.ts';
import { nameReader } from './tool-rules.ts';

/** Gives a subagent its task and lets it work until it answers; what is wrong with its file is said before a model is asked. */
export async function execute(definition: SubagentDefinition, input: Json, scope: Scope): Promise<Output> {
  let request: LoopRequest;
  try {
    request = await buildRequest(definition, input, scope);
  } catch (thrown) {
    return failedOutput(thrown);
  }
  const output = loopOutput(await runLoop(scope, request));
  const { output: file } = definition;
  return file === undefined || output.status === 'failed' ? output : saveAnswer(output, file, scope);
}

async function buildRequest(definition: SubagentDefinition, input: Json, scope: Scope): Promise<LoopRequest> {
  checkReader(definition, scope);
  await provideListed(definition, scope);
  const { wanted } = scope;
  const system = await buildSystemText(definition, scope);
  const model = wanted.model ?? definition.model;
  const effort = wanted.effort ?? (definition.thinking && effortFor(definition.thinking));
  const schema = wanted.result ?? scope.skill.card.output;
  return {
    ...optional('system', system === '' ? undefined : system),
    prompt: await buildTaskText(definition, input, scope),
    tools: wantsCatalog(definition)
      ? await offerTools(scope, { request: taskIn(input), skills: 'catalog' })
      : skillTools(ownTools(definition, scope), scope, { among: scope.callable }),
    ...optional('tier', model && namedTier(model)),
    ...optional('effort', effort),
    maxSteps: wanted.maxTicks ?? 20,
    ...optional('submit', schema && { schema, ...optional('check', wanted.check) }),
  };
}

/** Skills that are only listed must be readable: by its own tools, and by those of its callers. */
function checkReader(definition: SubagentDefinition, { skill, callable }: Scope): void {
  if (!listsSkills(definition)) return;
  const where = skill.file === '' ? skill.name : skill.file;
  const { allowedTools } = skill.card; // what settings say about its tools counts
  if (lacksReader(definition) || (allowedTools !== undefined && !nameReader(allowedTools))) {
    throw new AgentError('skill.invalid', `The skills of ${where} are only listed, and it may not read.`, {
      hint: 'Add read to its tools, or write "skillInjection: full".',
    });
  }
  if (callable.some(({ card }) => card.label?.toLowerCase() === 'read')) return;
  throw new AgentError('policy.denied', `"${skill.name}" may not read the skills that are listed for it.`, {
    hint: `Add read to the tools of its callers, or write "skillInjection: full" in ${where}.`,
  });
}
