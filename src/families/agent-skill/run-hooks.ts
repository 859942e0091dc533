import { fromErrorData } from '../../core/error.ts';
import { hashOf } from '../../core/json/normalize.ts';
import type { HookEvent } from '../../core/family.ts';
import type { Scope } from '../../core/scope.ts';
import type { AgentSkillDefinition } from './definition.ts';
import { endedIn, type Ended } from './ended.ts';
import { meansTool } from './hook-matcher.ts';
import type { Hook } from './hooks.ts';
import { objectionIn } from './objection.ts';
import { hookCommand } from './hook-command.ts';
import { placeIn } from './render-skill.ts';
import { shellVariable } from './shell-variable.ts';

/**
 * Runs the hooks of a skill that a moment concerns, one after another; their objections are joined. Throws when one
 * of them cannot run to its end.
 */
export async function runHooks(
  definition: AgentSkillDefinition,
  event: HookEvent,
  key: string,
  scope: Scope,
): Promise<string | undefined> {
  const objections: string[] = [];
  for (const [index, hook] of (definition.hooks ?? []).entries()) {
    if (!concerns(hook, event) || (await isOver(hook, scope))) continue;
    const result = await runHook(hook, `${key}hook-${index + 1}`, event, definition, scope);
    const { objection, note } = objectionIn(event.moment, result);
    if (objection !== undefined) objections.push(objection);
    if (note !== undefined) scope.note(`A hook of "${definition.name}" ${note}`);
  }
  return objections.length === 0 ? undefined : objections.join('\n');
}

async function runHook(
  { command: written, seconds }: Hook,
  key: string,
  event: HookEvent,
  definition: AgentSkillDefinition,
  scope: Scope,
): Promise<Ended> {
  const { command, environment } = hookCommand(written, placeIn(scope, definition));
  const variables = { ...environment, ...variablesFor(event), ...shellVariable(definition, scope) };
  const output = await scope.call(
    'bash',
    { command, timeout_ms: Math.ceil(seconds * 1000) },
    { asWritten: true, key, process: { environment: variables, stdin: stdinFor(event, scope) } },
  );
  if (output.status === 'failed') throw fromErrorData(output.error);
  return endedIn(output.value);
}

function concerns({ moment, tools }: Hook, event: HookEvent): boolean {
  return moment === event.moment && (tools === undefined || meansTool(tools, event.tool ?? ''));
}

/** Whether a hook that runs once has run in this run; it has from now on. */
async function isOver({ once, moment, command }: Hook, { memory, runId }: Scope): Promise<boolean> {
  if (once !== true) return false;
  const key = `hook-${hashOf([moment, command])}`;
  const isOver = (await memory.get(key)) === runId;
  memory.set(key, runId);
  return isOver;
}

const longestVariable = 100_000; // bytes; systems start no program with a much longer one

function variablesFor({ moment, tool, input }: HookEvent): Readonly<Record<string, string>> {
  const given = input === undefined ? undefined : JSON.stringify(input);
  const fits = given !== undefined && Buffer.byteLength(given) <= longestVariable;
  return {
    SKILLED_HOOK_EVENT: moment,
    ...(tool === undefined ? {} : { SKILLED_TOOL_NAME: tool }),
    ...(fits ? { SKILLED_TOOL_INPUT: given } : {}),
  };
}

const otherNames = { before: 'PreToolUse', after: 'PostToolUse', stop: 'Stop' } as const;

/** The moment in the shape that hooks written for other tools read. */
function stdinFor({ moment, tool, input, text }: HookEvent, { session, workspace = '' }: Scope): string {
  return JSON.stringify({
    session_id: session,
    cwd: workspace,
    hook_event_name: otherNames[moment],
    tool_name: tool,
    tool_input: input,
    [moment === 'stop' ? 'last_assistant_message' : 'tool_response']: text,
  });
}
