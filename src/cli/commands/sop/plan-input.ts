import { AgentError } from '../../../core/error.ts';
import { parseJson, type Json } from '../../../core/json.ts';
import type { Invocation } from '../../command.ts';
import { readInput } from '../../input.ts';
import { textFlag } from '../../text-flag.ts';

/** Where the input of a plan may come from. */
export interface PlanSources {
  readonly cwd: string;
  /** The plan itself comes from there. */
  readonly isStdinTaken: boolean;
  /** Says something beside the answer. */
  note(text: string): void;
}

/** The value of `$input` that flags give: text, JSON where it is an object or a list, or any JSON; undefined when there is none. */
export async function planInput(
  own: Invocation['own'],
  { cwd, isStdinTaken, note }: PlanSources,
): Promise<Json | undefined> {
  const said = textFlag(own, 'input');
  const json = textFlag(own, 'args-json');
  if (said !== undefined && json !== undefined)
    throw mistake('--input and --args-json are the same input.', 'Leave out one.');
  const word = json ?? said;
  if (word === undefined) return undefined;
  if (word === '-' && isStdinTaken)
    throw mistake(
      'stdin can be read once, and the plan comes from it.',
      'Give one of them as a file: --input @<file>',
    );
  const text = await readInput([word], { cwd });
  if (json === undefined) {
    if (!/^[[{]/.test(text)) return text;
    const value = parseJson(text);
    if (value === undefined) note('--input begins like JSON and is none, so it is given as text.');
    return value ?? text;
  }
  const value = parseJson(text);
  if (value !== undefined) return value;
  throw mistake('--args-json is not JSON.', 'Put it in single quotes, so that the shell leaves it as it is.');
}

function mistake(message: string, hint: string): AgentError {
  return new AgentError('usage.bad-input', message, { hint });
}
