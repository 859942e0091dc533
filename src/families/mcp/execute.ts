import {
  AgentError,
  isAgentError,
  namedTier,
  optional,
  type Json,
  type Output,
  type Scope,
  type ServerDescription,
  type Skill,
} from '../../core/index.ts';
import { loopOutput } from '../../engines/loop/end.ts';
import { baseSystem, requestText } from '../../engines/loop/prompt.ts';
import { runLoop } from '../../engines/loop/run-loop.ts';
import { failedOutput, skillTools } from '../../engines/loop/tools.ts';
import { nameOf, provideTools } from '../../engines/servers/provide-tools.ts';
import { runScript } from '../../engines/sop/session/run-script.ts';
import type { McpDefinition } from './parse.ts';

/** Carries out a request with the tools of servers: by the plan in its file, or as a model chooses. */
export async function execute(definition: McpDefinition, input: Json, scope: Scope): Promise<Output> {
  try {
    return await work(definition, input, scope);
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    return failedOutput(thrown);
  }
}

async function work(definition: McpDefinition, input: Json, scope: Scope): Promise<Output> {
  const { allowedTools: allowed, script } = definition;
  const servers = serversFor(definition, scope);
  const skills = await provideTools(scope, { servers, allowed });
  if (skills.length === 0) throw noTools(scope, servers.map(nameOf));
  return script === undefined
    ? runToolLoop(definition, skills, input, scope)
    : runScript(scope, { script, skills, input });
}

/** Those of the file, or all that settings know; for a plan, only those that it speaks of. */
function serversFor(
  { servers, script }: McpDefinition,
  scope: Scope,
): readonly (string | ServerDescription)[] {
  const all =
    servers?.map((server) => (server.kind === 'named' ? server.name : server)) ?? scope.resources.servers;
  if (all.length === 0) throw noServer(scope, servers !== undefined);
  const used = all.filter((which) => script?.text.includes(`${nameOf(which)}.`) !== false);
  return used.length === 0 ? all : used;
}

function noServer({ skill }: Scope, isSaid: boolean): AgentError {
  const why = isSaid ? 'its file names none that can be used' : 'its file names none, and settings know none';
  return new AgentError('skill.unavailable', `"${skill.name}" has no server to work with: ${why}.`, {
    hint: 'Describe one in the section "Servers" of its file, or add one to "mcpServers" in the settings.',
  });
}

function noTools({ skill, run: { id: runId } }: Scope, servers: readonly string[]): AgentError {
  const of = servers.length === 1 ? `the server "${servers.join('')}"` : `its servers ${servers.join(', ')}`;
  const where = skill.file === '' ? 'its file' : skill.file;
  return new AgentError('skill.unavailable', `"${skill.name}" may use no tool of ${of}.`, {
    hint: `Look at the allowed tools in ${where} and of whatever called it, and at its notes: \`skilled trace ${runId}\``,
  });
}

const usualSteps = 20;
const mostTools = 100; // beside what a loop needs for itself, no provider takes many more
const mostNamed = 20;

/** Lets a model carry out a request with the tools of servers, step by step. */
async function runToolLoop(
  { instructions = '' }: McpDefinition,
  skills: readonly Skill[],
  input: Json,
  scope: Scope,
): Promise<Output> {
  const { result = scope.skill.card.output, check, maxTicks, model = 'plan', effort } = scope.request.wanted;
  const parts = [baseSystem, scope.skill.card.description, instructions];
  const end = await runLoop(scope, {
    system: parts.filter((part) => part.trim() !== '').join('\n\n'),
    prompt: requestText(input),
    tools: skillTools(fitting(skills, scope), scope),
    tier: namedTier(model) ?? 'plan',
    ...optional('effort', effort),
    maxSteps: maxTicks ?? usualSteps,
    ...optional('submit', result && { schema: result, ...optional('check', check) }),
  });
  return loopOutput(end);
}

function fitting(skills: readonly Skill[], scope: Scope): readonly Skill[] {
  if (skills.length <= mostTools) return skills;
  const left = skills.slice(mostTools).map(({ name }) => name);
  const more = left.length > mostNamed ? ` and ${left.length - mostNamed} more` : '';
  const named = `${left.slice(0, mostNamed).join(', ')}${more}`;
  scope.note(`There is room for ${mostTools} tools; name those that are needed. Not offered: ${named}.`);
  return skills.slice(0, mostTools);
}
