import {
  endOf,
  fromErrorData,
  hashOf,
  isJsonObject,
  meansTool,
  optional,
  parseJson,
  type Hook,
  type HookEvent,
  type HookMoment,
  type Json,
  type Output,
  type RenderContext,
  type Scope,
} from '../../core/index.ts';
import { outputOf } from './load.ts';
import type { AgentSkillDefinition } from './parse.ts';
import { renderContext } from './render/render-skill.ts';
import { endedIn, shellVariable, type Ended } from './run-commands.ts';

/** Runs a skill's hooks for a conversation that loaded the skill. */
export function hook(definition: AgentSkillDefinition, input: Json, scope: Scope): Promise<Output> {
  return outputOf(async () => {
    const objection = await runHooks(definition, eventIn(input), '', scope);
    return { status: 'done', text: objection ?? '', value: objection === undefined ? {} : { objection } };
  });
}

/** Reads a hook event. It is not validated, because only the agent loop creates hook events. */
function eventIn(input: Json): HookEvent {
  const { moment, tool, input: given, text, shared } = isJsonObject(input) ? input : {};
  return {
    moment: moment as HookMoment,
    ...(typeof tool === 'string' ? { tool } : {}),
    ...(given === undefined ? {} : { input: given }),
    ...(typeof text === 'string' ? { text } : {}),
    ...(shared === true ? { shared } : {}),
  };
}

/**
 * Runs a skill's hooks for an event, in order, after those of its plugin if the event includes them. Joins
 * their objections. Returns undefined if there are none. Throws if a hook's command is refused or stopped.
 */
export async function runHooks(
  definition: AgentSkillDefinition,
  event: HookEvent,
  key: string,
  scope: Scope,
): Promise<string | undefined> {
  const objections: string[] = [];
  const { hooks = [], pluginHooks = [] } = definition;
  const all = event.shared === true ? [...pluginHooks, ...hooks] : hooks;
  for (const [index, hook] of all.entries()) {
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
  const { command, environment } = hookCommand(written, {
    ...renderContext(scope, definition),
    ...optional('pluginDir', definition.pluginDir),
  });
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

/** Whether a hook that runs only once has already run in the current run. Also marks the hook as run. */
async function isOver(
  { once, moment, command }: Hook,
  { memory, run: { id: runId } }: Scope,
): Promise<boolean> {
  if (once !== true) return false;
  const key = `hook-${hashOf([moment, command])}`;
  const isOver = (await memory.get(key)) === runId;
  memory.set(key, runId);
  return isOver;
}

// The maximum size of a variable, in bytes. Operating systems reject much larger variables.
const longestVariable = 100_000;

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

/** Returns the event as JSON in the format of Claude Code hooks. */
function stdinFor(
  { moment, tool, input, text }: HookEvent,
  { run: { session }, files: { workspace = '' } }: Scope,
): string {
  return JSON.stringify({
    session_id: session,
    cwd: workspace,
    hook_event_name: otherNames[moment],
    tool_name: tool,
    tool_input: input,
    [moment === 'stop' ? 'last_assistant_message' : 'tool_response']: text,
  });
}

/** A hook's shell command and its environment variables. */
interface HookCommand {
  readonly command: string;
  readonly environment: Readonly<Record<string, string>>;
}

const variable = /\$(?:\{(?:SKILLED|CLAUDE|AGENTICK)_(\w+)\}|(?:SKILLED|CLAUDE|AGENTICK)_(\w+))/g;
const plain = /^[\w@%+=:,./-]+$/;

/**
 * Inserts the folder and session values into a hook's command. Values without special characters are inserted
 * directly, so that permission rules see the actual command. Other values become environment variables, which
 * cannot break out of quotes.
 */
export function hookCommand(
  written: string,
  { session, skillDir, projectDir, pluginDir }: RenderContext,
): HookCommand {
  const values = new Map([
    ['SESSION_ID', session],
    ['SKILL_DIR', skillDir ?? ''],
    ['PROJECT_DIR', projectDir ?? ''],
    ...(pluginDir === undefined ? [] : ([['PLUGIN_ROOT', pluginDir]] as const)),
  ]);
  const environment: Record<string, string> = {};
  const command = written.replace(variable, (all, inBraces?: string, bare?: string) => {
    const name = inBraces ?? bare ?? '';
    const value = values.get(name);
    if (value === undefined || plain.test(value)) return value ?? all;
    environment[`SKILLED_HOOK_${name}`] = value;
    return `\${SKILLED_HOOK_${name}}`;
  });
  return { command, environment };
}

/** A hook's objection for the model, and a note that only users see. */
interface HookVerdict {
  readonly objection?: string;
  readonly note?: string;
}

/**
 * Reads a hook's result. With exit code 2, stderr contains the objection. With exit code 0, JSON on stdout
 * can object and give a reason. Other failures become notes.
 */
export function objectionIn(moment: HookMoment, { exitCode, stdout, stderr }: Ended): HookVerdict {
  if (exitCode === 2) return { objection: stderr.trim() || 'A hook of the skill raised an objection.' };
  if (exitCode !== 0) {
    const end = exitCode === null ? 'was ended by a signal' : `ended with exit code ${exitCode}`;
    return { note: `${end}: ${endOf(stderr.trim(), 500)}` };
  }
  const said = stdout.trimStart().startsWith('{') ? parseJson(stdout) : undefined;
  const objection = isJsonObject(said) ? reasonIn(moment, said) : undefined;
  return objection === undefined ? {} : { objection };
}

function reasonIn(moment: HookMoment, said: { readonly [key: string]: Json }): string | undefined {
  const specific = isJsonObject(said['hookSpecificOutput']) ? said['hookSpecificOutput'] : {};
  const { permissionDecision, permissionDecisionReason, additionalContext } = specific;
  if (said['decision'] === 'block')
    return textOf(said['reason']) ?? 'A hook of the skill raised an objection.';
  if (permissionDecision === 'deny' || permissionDecision === 'ask')
    return textOf(permissionDecisionReason) ?? 'A hook of the skill raised an objection.';
  if (said['continue'] === false)
    return textOf(said['stopReason']) ?? 'A hook of the skill requested a stop.';
  return moment === 'after' ? textOf(additionalContext) : undefined;
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
