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

/**
 * Handles a request with server tools: runs the script in the skill's file, or lets a model call the tools in
 * a loop.
 */
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

/**
 * Returns the servers in the skill's file, or all servers in the settings if the file lists none. For a
 * script, returns only the servers that the script mentions.
 */
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
  const why = isSaid ? 'its file lists no usable server' : 'neither its file nor the settings define one';
  return new AgentError('skill.unavailable', `"${skill.name}" has no server: ${why}.`, {
    hint: 'Add a server to the "Servers" section of the skill file, or to "mcpServers" in the settings.',
  });
}

function noTools({ skill, run: { id: runId } }: Scope, servers: readonly string[]): AgentError {
  const of = servers.length === 1 ? `the server "${servers.join('')}"` : `its servers ${servers.join(', ')}`;
  const where = skill.file === '' ? 'its file' : skill.file;
  return new AgentError('skill.unavailable', `"${skill.name}" may not use any tool of ${of}.`, {
    hint: `Check the allowed tools in ${where} and of its caller, and the notes of the run: \`skilled trace ${runId}\``,
  });
}

const usualSteps = 20;
const maxTools = 100; // Below the tool limits of model providers, leaving room for the loop's own tools.
const maxNamed = 20;

/** Has a model handle a request by calling server tools in a loop. */
async function runToolLoop(
  { instructions = '' }: McpDefinition,
  skills: readonly Skill[],
  input: Json,
  scope: Scope,
): Promise<Output> {
  const {
    result = scope.skill.card.output,
    check,
    maxTicks,
    model = 'plan',
    effort,
  } = scope.request.overrides;
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
  if (skills.length <= maxTools) return skills;
  const left = skills.slice(maxTools).map(({ name }) => name);
  const more = left.length > maxNamed ? ` and ${left.length - maxNamed} more` : '';
  const named = `${left.slice(0, maxNamed).join(', ')}${more}`;
  scope.note(`Only ${maxTools} tools can be offered; list the ones it needs. Left out: ${named}.`);
  return skills.slice(0, maxTools);
}
