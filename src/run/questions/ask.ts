import {
  AgentError,
  detach,
  fromErrorData,
  hashOf,
  optional,
  schemaFor,
  type Begun,
  type ErrorData,
  type EventBody,
  type Json,
  type Question,
} from '../../core/index.ts';
import type { Frame } from '../calls/frame.ts';
import type { Execution } from '../lifecycle/execution.ts';
import { outcomeOf } from '../log/replay.ts';
import type { StepOutcome } from '../log/run-state.ts';
import { contentKey, questionIdOf, whole } from '../log/sanitize.ts';
import type { Awaiting, Expiry } from './answers.ts';

const maxShown = 200; // The maximum number of characters to show of a question in an error message.

/** Asks the user a skill's question. Throws `policy.expired` if the question is not answered in time. */
export async function askQuestion(
  execution: Execution,
  frame: Frame,
  given: Question | string,
): Promise<Json> {
  const question = execution.clean(
    typeof given === 'string' ? { text: given } : given,
  ) as unknown as Question;
  // Check the schema first, because no answer can match an invalid schema.
  if (question.schema !== undefined) schemaFor('the question', question.schema);
  mustBeMoment(question);
  // The key does not depend on the expiry time, which can differ when the skill runs again.
  const { expires: _moment, ...parts } = question;
  const content = parts as unknown as Json;
  const key = frame.occurrence(contentKey('ask', content));
  return askPerson(execution, frame, {
    key,
    request: content,
    requested: (begun) => ({ type: 'input.requested', ...begun, question }),
    resolved: ({ value = null, error }) => ({
      type: 'input.resolved',
      key,
      answer: value,
      ...optional('error', error),
    }),
    ...optional('expiry', expiryOf(execution, frame, key, question)),
  });
}

function mustBeMoment({ text, expires }: Question): void {
  if (expires === undefined || Number.isFinite(expires)) return;
  throw new AgentError('usage.bad-input', `The question "${text}" has an invalid expiry.`, {
    hint: 'Pass the expiry as a Unix timestamp in milliseconds, or omit it.',
  });
}

/** Returns the expiry of a question. If the log contains the question, its logged expiry applies. */
function expiryOf(
  { state, kernel }: Execution,
  frame: Frame,
  key: string,
  { text, expires }: Question,
): Expiry | undefined {
  const known = state.step(frame.id, key);
  const moment = known === undefined ? expires : known.expires;
  if (moment === undefined) return undefined;
  return { after: moment - kernel.now(), outcome: { error: unanswered(text) } };
}

/** Returns the error for an unanswered question. Shows only the beginning of a long question. */
function unanswered(text: string): ErrorData {
  const [line = ''] = text.trim().split('\n', 1);
  const shown = whole(line, maxShown);
  return {
    code: 'policy.expired',
    message: `The question "${shown === text.trim() ? shown : `${shown}…`}" was not answered in time.`,
    hint: 'Ask again.',
  };
}

/** A question for the user. */
interface Asking extends Awaiting {
  readonly key: string;
  readonly request: Json;
  readonly requested: (begun: Begun & { readonly id: string }) => EventBody;
  /**
   * Called when waiting begins, together with the `onWait` callbacks of this frame and the frames above it.
   */
  readonly onWait?: (() => void) | undefined;
}

/**
 * Asks the user. The question stays open until it is answered, in this process or a later one, or until it
 * expires.
 */
export async function askPerson(execution: Execution, frame: Frame, asking: Asking): Promise<Json> {
  const begun: Begun = { key: asking.key, request: hashOf(asking.request) };
  const { value, error } = await outcomeOf(execution, frame, begun, (known) =>
    awaitAnswer(execution, frame, asking, { begun, isNew: known === undefined }),
  );
  if (error !== undefined) throw fromErrorData(error);
  return detach(value ?? null);
}

async function awaitAnswer(
  execution: Execution,
  frame: Frame,
  asking: Asking,
  { begun, isNew }: { readonly begun: Begun; readonly isNew: boolean },
): Promise<StepOutcome> {
  const id = questionIdOf(frame.id, asking.key);
  if (isNew) {
    await frame.busy(() => execution.turns.mayBegin());
    await frame.busy(() => execution.journal.add(frame.id, asking.requested({ ...begun, id })));
  }
  const answer = execution.answers.wait(frame, id, asking);
  for (const onWait of [asking.onWait, ...frame.path.map(({ options }) => options.onWait)]) onWait?.();
  return await answer;
}
