import { fromErrorData } from '../../core/error.ts';
import { hashOf } from '../../core/canonical.ts';
import type { Json } from '../../core/json.ts';
import { optional } from '../../core/optional.ts';
import type { HookEvent } from '../../core/rendering.ts';
import type { ProcessInput, Scope } from '../../core/scope.ts';
import type { AgentSkillDefinition } from './definition.ts';
import { meansTool } from './hook-matcher.ts';
import type { Hook } from './hooks.ts';
import { objectionIn } from './objection.ts';
import { renderCommand } from './render-command.ts';
import { placeIn } from './render-skill.ts';
import { resultOf, shellVariable } from './run-commands.ts';

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
    const command = renderCommand(hook.command, placeIn(scope, definition));
    const process = processFor(event, definition, scope);
    const timeout = Math.ceil(hook.seconds * 1000);
    const output = await scope.call(
      'bash',
      { command, timeout_ms: timeout },
      { asWritten: true, key: `${key}hook-${index + 1}`, process },
    );
    if (output.status === 'failed') throw fromErrorData(output.error);
    const { objection, note } = objectionIn(event.moment, resultOf(output.value));
    if (objection !== undefined) objections.push(objection);
    if (note !== undefined) scope.note(`A hook of "${definition.name}" ${note}`);
  }
  return objections.length === 0 ? undefined : objections.join('\n');
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

const claudeEvents = { before: 'PreToolUse', after: 'PostToolUse', stop: 'Stop' } as const;
const longestVariable = 100_000; // bytes; systems refuse to start a program with a longer one

/** What a hook learns of the moment: JSON on its stdin in the shape that hooks of other tools read, and the same in variables. */
function processFor(
  { moment, tool, input, text }: HookEvent,
  definition: AgentSkillDefinition,
  scope: Scope,
): ProcessInput {
  const given = input === undefined ? undefined : JSON.stringify(input);
  const fits = given !== undefined && Buffer.byteLength(given) <= longestVariable;
  return {
    environment: {
      SKILLED_HOOK_EVENT: moment,
      ...(tool === undefined ? {} : { SKILLED_TOOL_NAME: tool }),
      ...(fits ? { SKILLED_TOOL_INPUT: given } : {}),
      ...shellVariable(definition.shell, scope),
    },
    stdin: JSON.stringify({
      session_id: scope.session,
      cwd: scope.workspace ?? '',
      hook_event_name: claudeEvents[moment],
      ...optional('tool_name', tool),
      ...optional('tool_input', input as Json | undefined),
      ...optional(moment === 'stop' ? 'last_assistant_message' : 'tool_response', text),
    }),
  };
}
