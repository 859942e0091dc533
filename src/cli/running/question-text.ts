import { isJsonObject } from '../../core/json.ts';
import type { ApprovalRequest } from '../../core/policy.ts';
import type { OpenQuestion } from '../../core/run.ts';
import type { CommonFlags } from '../command.ts';
import { cutTo, oneLine } from '../output/text.ts';
import { sameAgain } from '../same-again.ts';
import type { Asked } from './asked.ts';

const mostLetters = 1_000;

/** A question in lines: who asks what, the answers to choose from, and for an approval exactly what would be called. */
export function questionLines(question: OpenQuestion, asked: Asked): readonly string[] {
  const { id, kind, path, text, options = [] } = question;
  const who = oneLine(path.join(' › '));
  const head = kind === 'approval' || who === '' ? oneLine(text) : `${who} asks: ${oneLine(text)}`;
  const asks = asked.get(id);
  const call =
    asks === undefined || isSaid(asks)
      ? []
      : [`  ${oneLine(asks.skill)} ${cutTo(oneLine(JSON.stringify(asks.input)), mostLetters)}`];
  return [head, ...call, ...options.map((option, index) => `  ${index + 1}. ${oneLine(option)}`)];
}

/** Whether the reason ends with the whole of the input, as that of a command does. */
function isSaid({ input, reason }: ApprovalRequest): boolean {
  const [only, ...others] = isJsonObject(input) ? Object.values(input) : [input];
  return typeof only === 'string' && others.length === 0 && reason.endsWith(`: ${only}`);
}

/** The open questions of a run, each with the command that answers it. */
export function waitingLines(
  runId: string,
  { questions, asked }: { readonly questions: readonly OpenQuestion[]; readonly asked: Asked },
  flags: CommonFlags,
): readonly string[] {
  const again = `skilled resume ${runId}${sameAgain(flags)}`;
  const plain = questions.find(({ kind }) => kind === 'input'); // the one that an answer goes to by itself
  return questions.flatMap((question) => {
    const { id, kind } = question;
    const only = question === plain ? '' : ` --question ${id}`;
    const answers =
      kind === 'approval'
        ? [`  Allow it once: ${again}${only} --yes`, `  Deny it: ${again}${only} --deny "<reason>"`]
        : [`  Answer it: ${again}${only} "<answer>"`];
    return [...questionLines(question, asked), ...answers];
  });
}
