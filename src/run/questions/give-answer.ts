import {
  AgentError,
  familyOf,
  fitSchema,
  hashOf,
  isJsonObject,
  optional,
  userKey,
  type Actor,
  type Approval,
  type InputRequested,
  type Json,
  type OpenQuestion,
  type Requester,
} from '../../core/index.ts';
import type { Kernel } from '../kernel.ts';
import { noSuchRun } from '../lifecycle/stop.ts';
import { isLate, openQuestions, readLog, type QuestionEvent } from '../log/read-log.ts';
import { cleanValue } from '../log/sanitize.ts';
import { checkApproval, storeApproval } from '../permissions/approvals.ts';
import { answerSpace, toStored } from './answers.ts';

/**
 * Stores an answer for the process that executes or resumes the run. Only the first answer is accepted.
 * Without an id, answers the oldest question that asks for input, so that approvals are never granted or
 * denied by accident.
 */
export async function giveAnswer(
  kernel: Kernel,
  runId: string,
  given: Json,
  questionId?: string,
  actor?: Actor,
): Promise<void> {
  const answered = await kernel.store.entries(answerSpace(runId));
  const open = (await questionsOf(kernel, runId)).filter(({ id }) => id === questionId || !answered.has(id));
  const asked = pick(runId, open, questionId);
  if (asked.type === 'input.requested' && !answered.has(asked.id) && isLate(asked, kernel.now()))
    throw tooLate(asked.id);
  const answer = checked(asked, cleanValue(given, kernel.redact));
  if (asked.type === 'approval.requested') checkApproval(kernel, asked, answer as unknown as Approval);
  const isFirst = await kernel.store.add(answerSpace(runId), asked.id, toStored(answer, actor), retentionMs);
  if (!isFirst || (await isTooLate(kernel, runId, asked, answer))) {
    throw new AgentError('usage.bad-input', `The question ${asked.id} has already been answered.`, {
      details: { answered: asked.id },
    });
  }
  if (asked.type === 'approval.requested')
    await storeApproval(kernel, asked.asks, answer as unknown as Approval);
  await (await kernel.live.find(runId))?.collectAnswers();
}

/** Returns how the log names who answers, decides or cancels. Undefined if it is not known. */
export function actorOf({ user, client }: Requester = {}): Actor | undefined {
  const key = userKey(user);
  if (key === undefined && client === undefined) return undefined;
  return { ...optional('user', key), ...optional('client', client) };
}

function tooLate(id: string): AgentError {
  return new AgentError('policy.expired', `It is too late to answer the question ${id}.`, {
    hint: 'The run continues without an answer. Send your request again.',
  });
}

const retentionMs = 30 * 86_400_000; // Unused answers are deleted after 30 days.

/**
 * Whether a stored answer arrived after its question was closed with another answer. If so, deletes it. Used
 * answers have already been deleted, so an entry that remains can be a later answer of somebody else.
 */
async function isTooLate(
  { store }: Kernel,
  runId: string,
  { id, frameId, key }: QuestionEvent,
  answer: Json,
): Promise<boolean> {
  const events = await readLog(store, runId);
  if (openQuestions(events).some((asked) => asked.id === id)) return false;
  const closed = events.findLast(
    (event) =>
      (event.type === 'input.resolved' || event.type === 'approval.resolved') &&
      event.frameId === frameId &&
      event.key === key,
  );
  if (closed !== undefined && 'answer' in closed && hashOf(closed.answer) === hashOf(answer)) return false;
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
      hint: 'The question may already have been answered.',
    });
  }
  throw new AgentError('usage.bad-input', `Run ${runId} has no open question that asks for input.`, {
    hint:
      asked.length > 0
        ? 'The run is waiting for an approval. Pass the id of the approval to decide.'
        : 'Inspect the run.',
  });
}

function checked(asked: QuestionEvent, answer: Json): Json {
  if (asked.type === 'input.requested') return fitting(asked, answer);
  const { allow, deny } = isJsonObject(answer) ? answer : {};
  if (typeof deny === 'string') return { deny: deny.trim() === '' ? 'The request was denied.' : deny };
  if (allow === 'once' || allow === 'run') return { allow };
  if (allow === 'version') {
    if (asked.asks.version !== undefined) return { allow };
    throw new AgentError(
      'usage.bad-input',
      `${asked.id} can be allowed once or for this run, but not permanently.`,
      {
        hint: `This approval is not tied to a skill version. Add a rule such as ${asked.asks.rule} to your settings instead.`,
      },
    );
  }
  throw new AgentError('usage.bad-input', `${asked.id} needs a decision.`, {
    hint: 'Answer with {"allow": "once"}, {"allow": "run"}, {"allow": "version"} or {"deny": "the reason"}.',
  });
}

function fitting({ id, question }: InputRequested, answer: Json): Json {
  const { schema } = question;
  return schema === undefined ? answer : fitSchema(`the question ${id}`, schema, answer);
}

/**
 * Whether a string can answer an open question. The family of the skill that asked may decide that the string
 * is not an answer.
 */
export function isAnswer(
  { registry, definitionOf }: Pick<Kernel, 'registry' | 'definitionOf'>,
  question: OpenQuestion,
  text: string,
): boolean {
  const { lookup, families } = registry();
  const skill = lookup.find(question.path.at(-1) ?? '');
  const family = familyOf(families, skill);
  if (skill === undefined || family?.prompts?.answers === undefined) return true;
  try {
    return family.prompts.answers(definitionOf(skill, family), question, text.trim());
  } catch {
    return true; // If the skill file is unreadable, resuming the run reports the error.
  }
}
