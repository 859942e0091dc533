import {
  AgentError,
  familyOf,
  fitSchema,
  isJsonObject,
  type Approval,
  type InputRequested,
  type Json,
  type OpenQuestion,
} from '../../core/index.ts';
import type { Kernel } from '../kernel.ts';
import { noSuchRun } from '../lifecycle/stop.ts';
import { isLate, openQuestions, readLog, type QuestionEvent } from '../log/read-log.ts';
import { cleanValue } from '../log/sanitize.ts';
import { checkLeave, keepLeave } from '../permissions/approvals.ts';
import { answerSpace } from './answers.ts';

/**
 * Leaves an answer to a question of a run, for whichever process works on it or takes it up; the first one counts.
 * Without an id it is for the oldest question that asks for input: a decision is never made by accident.
 */
export async function giveAnswer(
  kernel: Kernel,
  runId: string,
  given: Json,
  questionId?: string,
): Promise<void> {
  const answered = await kernel.store.entries(answerSpace(runId));
  const open = (await questionsOf(kernel, runId)).filter(({ id }) => id === questionId || !answered.has(id));
  const asked = pick(runId, open, questionId);
  if (asked.type === 'input.requested' && !answered.has(asked.id) && isLate(asked, kernel.now()))
    throw tooLate(asked.id);
  const answer = checked(asked, cleanValue(given, kernel.redact));
  if (asked.type === 'approval.requested') checkLeave(kernel, asked, answer as unknown as Approval);
  const isFirst = await kernel.store.add(answerSpace(runId), asked.id, answer, longestKept);
  if (!isFirst || (await isTooLate(kernel, runId, asked.id))) {
    throw new AgentError('usage.bad-input', `The question ${asked.id} is answered already.`);
  }
  if (asked.type === 'approval.requested') await keepLeave(kernel, asked.asks, answer as unknown as Approval);
  await (await kernel.live.find(runId))?.collectAnswers();
}

function tooLate(id: string): AgentError {
  return new AgentError('policy.expired', `It is too late to answer ${id}.`, {
    hint: 'The run goes on without it. Ask for it again.',
  });
}

const longestKept = 30 * 86_400_000; // milliseconds; an answer that nobody uses is forgotten

/** Whether an answer was left after its question was closed; it is taken away again. One that was used is gone by itself. */
async function isTooLate(kernel: Kernel, runId: string, id: string): Promise<boolean> {
  if ((await questionsOf(kernel, runId)).some((asked) => asked.id === id)) return false;
  const { store } = kernel;
  if ((await store.get(answerSpace(runId), id)) === undefined) return false;
  await store.delete(answerSpace(runId), id);
  return true;
}

async function questionsOf({ store }: Kernel, runId: string): Promise<readonly QuestionEvent[]> {
  const events = await readLog(store, runId);
  if (events.length > 0) return openQuestions(events);
  throw noSuchRun(runId);
}

function pick(runId: string, asked: readonly QuestionEvent[], id: string | undefined): QuestionEvent {
  const found = asked.find((one) => (id === undefined ? one.type === 'input.requested' : one.id === id));
  if (found !== undefined) return found;
  if (id !== undefined) {
    throw new AgentError('usage.not-found', `Run ${runId} has no open question ${id}.`, {
      hint: 'Somebody may have answered it.',
    });
  }
  throw new AgentError('usage.bad-input', `Nothing is asked in run ${runId} that an answer could go to.`, {
    hint: asked.length > 0 ? 'It waits for an approval: decide by the id of that.' : 'Look at the run.',
  });
}

function checked(asked: QuestionEvent, answer: Json): Json {
  if (asked.type === 'input.requested') return fitting(asked, answer);
  const { allow, deny } = isJsonObject(answer) ? answer : {};
  if (typeof deny === 'string') return { deny };
  if (allow === 'once' || allow === 'run') return { allow };
  if (allow === 'version') {
    if (asked.asks.version !== undefined) return { allow };
    throw new AgentError(
      'usage.bad-input',
      `${asked.id} can be allowed once or for the run, not for longer.`,
      {
        hint: `No version of a skill stands behind it. Add a rule to your settings instead, as ${asked.asks.rule}.`,
      },
    );
  }
  throw new AgentError('usage.bad-input', `${asked.id} asks for a decision.`, {
    hint: 'Answer {"allow": "once"}, {"allow": "run"}, {"allow": "version"} or {"deny": "the reason"}.',
  });
}

function fitting({ id, question }: InputRequested, answer: Json): Json {
  const { schema } = question;
  return schema === undefined ? answer : fitSchema(`the question ${id}`, schema, answer);
}

/** Whether words that were said while a question waits answer it: the family of the skill that asks may say that they do not. */
export function isAnswer(
  { registry, definitionOf }: Pick<Kernel, 'registry' | 'definitionOf'>,
  question: OpenQuestion,
  words: string,
): boolean {
  const { lookup, families } = registry();
  const skill = lookup.find(question.path.at(-1) ?? '');
  const family = familyOf(families, skill);
  if (skill === undefined || family?.prompts?.answers === undefined) return true;
  try {
    return family.prompts.answers(definitionOf(skill, family), question, words.trim());
  } catch {
    return true; // its file cannot be read any more: whoever takes up the run says so
  }
}
