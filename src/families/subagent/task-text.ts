import type { Json } from '../../core/json.ts';
import type { Scope } from '../../core/scope.ts';
import { transcriptOf } from '../../engines/loop/transcript.ts';
import type { SubagentDefinition } from './definition.ts';

const heardTokens = 20_000;

/** What a subagent is asked: its task, behind the conversation that it is called from when it is to know that. */
export async function buildTaskText(
  { defaultContext }: SubagentDefinition,
  input: Json,
  scope: Scope,
): Promise<string> {
  const task = taskIn(input);
  const heard = defaultContext === 'fork' ? await scope.heard(heardTokens) : [];
  if (heard.length === 0) return task;
  return `You are called from this conversation, one turn a line. It tells you what happened so far; your task follows it.

${transcriptOf(heard)}

Your task:

${task}`;
}

/** A text as it is, anything else as JSON; a model must be asked something. */
export function taskIn(input: Json): string {
  const text = typeof input === 'string' ? input : input === null ? '' : JSON.stringify(input);
  return text.trim() === '' ? 'Do your work.' : text;
}
