import { asText } from '../../../core/json.ts';
import { foldRun } from '../../../views/run-tree.ts';
import type { RunTree } from '../../../views/run-node.ts';
import { cutTo, manyLines, oneLine } from '../../output/text.ts';
import type { Chat } from './chat.ts';
import { forgottenAt } from './forget.ts';

const mostTurns = 3;
const mostLines = 8;
const mostColumns = 500;

/** The last things that were said in a conversation and what they came to, in lines; nothing of what it was told to forget. */
export async function earlierTurns(chat: Chat): Promise<readonly string[]> {
  const { agent, session } = chat;
  const since = await forgottenAt(chat);
  const runs = await agent.runs.list({ session, limit: mostTurns });
  const turns = await Promise.all(
    runs
      .toReversed()
      .filter(({ startedAt }) => startedAt > since)
      .map(async ({ id }) => foldRun(await agent.runs.events(id))),
  );
  return turns.flatMap((tree) => [`> ${cutTo(oneLine(saidIn(tree)), mostColumns)}`, ...answerIn(tree)]);
}

function saidIn({ prompt, skill, input }: RunTree): string {
  return prompt ?? `/${skill} ${input === null ? '' : asText(input)}`;
}

/** The beginning of an answer; of a run without one, how it stands. */
function answerIn({ output, status }: RunTree): readonly string[] {
  const text =
    output?.status === 'failed' ? `error: ${output.error.message}` : (output?.text ?? `(${status})`);
  const lines = manyLines(text.trimEnd())
    .split('\n')
    .map((line) => cutTo(line, mostColumns));
  return lines.length <= mostLines ? lines : [...lines.slice(0, mostLines - 1), '…'];
}
