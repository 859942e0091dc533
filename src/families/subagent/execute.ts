import {
  AgentError,
  isAgentError,
  isJsonObject,
  namedTier,
  optional,
  tierChain,
  withinElement,
  type Json,
  type Output,
  type Scope,
  type Tier,
} from '../../core/index.ts';
import { loopOutput } from '../../engines/loop/end.ts';
import { offerTools } from '../../engines/loop/offer-tools.ts';
import { baseSystem, transcriptOf } from '../../engines/loop/prompt.ts';
import { runLoop, type LoopRequest } from '../../engines/loop/run-loop.ts';
import { failedOutput, skillTools } from '../../engines/loop/tools.ts';
import { effortFor, type SubagentDefinition } from './settings.ts';
import { lacksReader, listsSkills, nameReader, needsCatalog } from './tool-rules.ts';
import { ownTools, provideListed } from './tools.ts';

/**
 * Gives a subagent its task and lets it work until it answers. Errors in the subagent's file are reported
 * before the first model call.
 */
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
  const {
    request: { overrides },
  } = scope;
  const system = await buildSystemText(definition, scope);
  const effort = overrides.effort ?? (definition.thinking && effortFor(definition.thinking));
  const schema = overrides.result ?? scope.skill.card.output;
  return {
    ...optional('system', system === '' ? undefined : system),
    prompt: await buildTaskText(definition, input, scope),
    tools: needsCatalog(definition)
      ? await offerTools(scope, { request: taskIn(input), skills: 'catalog' })
      : skillTools(ownTools(definition, scope), scope, { among: scope.skills.callable }),
    ...optional('tier', tierFor(overrides.model ?? definition.model, definition.fallbackModels)),
    ...optional('effort', effort),
    maxSteps: overrides.maxTicks ?? 20,
    ...optional('submit', schema && { schema, ...optional('check', overrides.check) }),
  };
}

/** Returns the model to call, followed by the models to try if the call fails. */
function tierFor(model: string | undefined, fallbacks: readonly string[] = []): Tier | undefined {
  const first = model && namedTier(model);
  if (fallbacks.length === 0) return first;
  return tierChain([first ?? 'execution', ...fallbacks.map(namedTier).filter((name) => name !== undefined)]);
}

/**
 * Throws if a subagent's prompt contains only the locations of its skills and the subagent cannot read the
 * files. Both its own tools and its callers' tools must include a read tool.
 */
function checkReader(definition: SubagentDefinition, { skill, skills: { callable } }: Scope): void {
  if (!listsSkills(definition)) return;
  const where = skill.file === '' ? skill.name : skill.file;
  const { allowedTools } = skill.card; // Settings can override the tools in the file.
  if (lacksReader(definition) || (allowedTools !== undefined && !nameReader(allowedTools))) {
    throw new AgentError(
      'skill.invalid',
      `${where} lists its skills without their text, but it has no read tool.`,
      {
        hint: 'Add read to its tools, or set "skillInjection: full".',
      },
    );
  }
  if (callable.some(({ card }) => card.label?.toLowerCase() === 'read')) return;
  throw new AgentError('policy.denied', `"${skill.name}" is not allowed to read the skills that it lists.`, {
    hint: `Add read to the tools of its callers, or set "skillInjection: full" in ${where}.`,
  });
}

/**
 * Builds a subagent's system prompt from its own prompt, the project notes and its skills. Throws if a skill
 * cannot be used.
 */
async function buildSystemText(definition: SubagentDefinition, scope: Scope): Promise<string> {
  const { systemPrompt, systemPromptMode, inheritProjectContext } = definition;
  const injected = await skillsText(definition, scope);
  const notes = inheritProjectContext ? await readProjectNotes(scope) : '';
  return [systemPromptMode === 'append' ? baseSystem : '', systemPrompt(), notes, injected]
    .filter((part) => part !== '')
    .join('\n\n');
}

async function skillsText(definition: SubagentDefinition, scope: Scope): Promise<string> {
  const { skills = [], skillInjection, skillPath } = definition;
  if (skills.length === 0) return '';
  try {
    return await scope.skills.inject(skills, skillInjection, skillPath);
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    const { code, message, hint = 'Correct "skills", or add the skill.' } = thrown;
    throw new AgentError(code, `The skills of "${scope.skill.name}" cannot be loaded: ${message}`, { hint });
  }
}

/** Files with project notes, in order of preference. The first file that is not empty is used. */
const files = ['AGENTS.md', 'CLAUDE.md'];

/**
 * Returns the workspace's project notes, wrapped in an element for the prompt, or an empty string if there
 * are none.
 */
async function readProjectNotes(scope: Scope): Promise<string> {
  if (scope.files.workspace === undefined) return '';
  for (const file of files) {
    const text = await readNotes(file, scope);
    if (text.trim() !== '') return markedNotes(file, text);
  }
  return '';
}

/**
 * Reads the file with the `read` skill, so that the policy applies. Adds a note to the run if an existing
 * file cannot be read.
 */
async function readNotes(file: string, scope: Scope): Promise<string> {
  const output = await scope.call('read', { file_path: file }, { asWritten: true, key: `notes:${file}` });
  if (output.status === 'failed') {
    if (output.error.code !== 'usage.not-found')
      scope.note(`${file} could not be read: ${output.error.message}`);
    return '';
  }
  const content = isJsonObject(output.value) ? output.value['content'] : undefined;
  return typeof content === 'string' ? content : '';
}

/** Wraps the project notes in an element that the notes cannot close. */
function markedNotes(file: string, text: string): string {
  return `<project_notes file="${file}">\n${withinElement(text.trim(), 'project_notes')}\n</project_notes>`;
}

const historyTokens = 20_000;

/**
 * Builds a subagent's prompt from its task. With a forked context, the calling conversation precedes the
 * task.
 */
async function buildTaskText(
  { defaultContext }: SubagentDefinition,
  input: Json,
  scope: Scope,
): Promise<string> {
  const task = taskIn(input);
  const history = defaultContext === 'fork' ? await scope.history(historyTokens) : [];
  if (history.length === 0) return task;
  return `You are called from this conversation, one turn per line. It shows what happened so far; your task follows it.

${transcriptOf(history)}

Your task:

${task}`;
}

/**
 * Converts an input to a task: text stays unchanged, other values become JSON. The result is never blank,
 * because a model needs a prompt.
 */
function taskIn(input: Json): string {
  const text = typeof input === 'string' ? input : input === null ? '' : JSON.stringify(input);
  return text.trim() === '' ? 'Do your task.' : text;
}

/** Writes an answer to its output file. If that fails, the error's details contain the answer. */
async function saveAnswer(
  answer: Output & { readonly status: 'done' },
  file: string,
  scope: Scope,
): Promise<Output> {
  const { text, value } = answer;
  const content = text.endsWith('\n') ? text : `${text}\n`;
  const written = await scope.call('write', { file_path: file, content }, { asWritten: true, key: 'output' });
  if (written.status === 'done')
    return { ...answer, text: `${text}\n\n(This answer was written to ${file}.)` };
  const { error } = written;
  const message = `The answer could not be written to ${file}: ${error.message}`;
  const details = { answer: text, ...optional('value', value) };
  return { status: 'failed', text: message, error: { ...error, message, details } };
}
