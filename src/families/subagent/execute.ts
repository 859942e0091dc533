import {
  AgentError,
  isAgentError,
  isJsonObject,
  namedTier,
  optional,
  withinElement,
  type Json,
  type Output,
  type Scope,
} from '../../core/index.ts';
import { loopOutput } from '../../engines/loop/end.ts';
import { offerTools } from '../../engines/loop/offer-tools.ts';
import { baseSystem, transcriptOf } from '../../engines/loop/prompt.ts';
import { runLoop, type LoopRequest } from '../../engines/loop/run-loop.ts';
import { failedOutput, skillTools } from '../../engines/loop/tools.ts';
import { effortFor, type SubagentDefinition } from './settings.ts';
import { lacksReader, listsSkills, nameReader, wantsCatalog } from './tool-rules.ts';
import { ownTools, provideListed } from './tools.ts';

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
  const {
    request: { wanted },
  } = scope;
  const system = await buildSystemText(definition, scope);
  const model = wanted.model ?? definition.model;
  const effort = wanted.effort ?? (definition.thinking && effortFor(definition.thinking));
  const schema = wanted.result ?? scope.skill.card.output;
  return {
    ...optional('system', system === '' ? undefined : system),
    prompt: await buildTaskText(definition, input, scope),
    tools: wantsCatalog(definition)
      ? await offerTools(scope, { request: taskIn(input), skills: 'catalog' })
      : skillTools(ownTools(definition, scope), scope, { among: scope.skills.callable }),
    ...optional('tier', model && namedTier(model)),
    ...optional('effort', effort),
    maxSteps: wanted.maxTicks ?? 20,
    ...optional('submit', schema && { schema, ...optional('check', wanted.check) }),
  };
}

/** Skills that are only listed must be readable: by its own tools, and by those of its callers. */
function checkReader(definition: SubagentDefinition, { skill, skills: { callable } }: Scope): void {
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

/** What a subagent is told before its task: its prompt, the notes of the project, its skills. Throws for a skill that cannot be used. */
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
    throw new AgentError(code, `"${scope.skill.name}" asks for skills: ${message}`, { hint });
  }
}

/** What the project says to all who work in it, the first of these that is there. */
const files = ['AGENTS.md', 'CLAUDE.md'];

/** The notes of the workspace for a prompt, marked as such; empty when there are none. */
async function readProjectNotes(scope: Scope): Promise<string> {
  if (scope.files.workspace === undefined) return '';
  for (const file of files) {
    const text = await readNotes(file, scope);
    if (text.trim() !== '') return markedNotes(file, text);
  }
  return '';
}

/** The file through the one boundary that every reading passes; a refusal is told to whoever watches. */
async function readNotes(file: string, scope: Scope): Promise<string> {
  const output = await scope.call('read', { file_path: file }, { asWritten: true, key: `notes:${file}` });
  if (output.status === 'failed') {
    if (output.error.code !== 'usage.not-found') scope.note(`${file} was not read: ${output.error.message}`);
    return '';
  }
  const content = isJsonObject(output.value) ? output.value['content'] : undefined;
  return typeof content === 'string' ? content : '';
}

/** Nothing in the notes can end the element that holds them. */
function markedNotes(file: string, text: string): string {
  return `<project_notes file="${file}">\n${withinElement(text.trim(), 'project_notes')}\n</project_notes>`;
}

const heardTokens = 20_000;

/** What a subagent is asked: its task, behind the conversation that it is called from when it is to know that. */
async function buildTaskText(
  { defaultContext }: SubagentDefinition,
  input: Json,
  scope: Scope,
): Promise<string> {
  const task = taskIn(input);
  const heard = defaultContext === 'fork' ? await scope.history(heardTokens) : [];
  if (heard.length === 0) return task;
  return `You are called from this conversation, one turn a line. It tells you what happened so far; your task follows it.

${transcriptOf(heard)}

Your task:

${task}`;
}

/** A text as it is, anything else as JSON; a model must be asked something. */
function taskIn(input: Json): string {
  const text = typeof input === 'string' ? input : input === null ? '' : JSON.stringify(input);
  return text.trim() === '' ? 'Do your work.' : text;
}

/** Writes an answer to the file that is meant for it; an answer that could not be written is in the details of the failure. */
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
