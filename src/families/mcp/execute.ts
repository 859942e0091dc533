import { AgentError, isAgentError } from '../../core/error.ts';
import type { Json } from '../../core/json.ts';
import type { Output } from '../../core/run.ts';
import type { Scope } from '../../core/scope.ts';
import type { ServerDescription } from '../../core/servers/tool-server.ts';
import { failedOutput } from '../../engines/loop/failed-output.ts';
import { nameOf, provideTools } from '../../engines/servers/provide-tools.ts';
import { runScript } from '../../engines/sop/session/run-script.ts';
import type { McpDefinition } from './definition.ts';
import { runToolLoop } from './run-tool-loop.ts';

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
  const all = servers?.map((server) => (server.kind === 'named' ? server.name : server)) ?? scope.servers;
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

function noTools({ skill, runId }: Scope, servers: readonly string[]): AgentError {
  const of = servers.length === 1 ? `the server "${servers.join('')}"` : `its servers ${servers.join(', ')}`;
  const where = skill.file === '' ? 'its file' : skill.file;
  return new AgentError('skill.unavailable', `"${skill.name}" may use no tool of ${of}.`, {
    hint: `Look at the allowed tools in ${where} and of whatever called it, and at its notes: \`skilled trace ${runId}\``,
  });
}
