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
import { mustBeOutside, recordedOutcome, track, underWay } from '../log/replay.ts';
import type { StepOutcome } from '../log/run-state.ts';
import { contentKey, questionIdOf, whole } from '../log/sanitize.ts';
import type { Awaiting, Expiry } from './answers.ts';

const mostShown = 200; // characters of a question in a failure

/** Asks a person what a skill wants to know; throws `policy.expired` when nobody answers in time. */
export async function askQuestion(
  execution: Execution,
  frame: Frame,
  given: Question | string,
): Promise<Json> {
  const question = execution.clean(
    typeof given === 'string' ? { text: given } : given,
  ) as unknown as Question;
  if (question.schema !== undefined) schemaFor('the question', question.schema); // no answer could fit one that cannot be read
  mustBeMoment(question);
  const { expires: _moment, ...content } = question; // a skill that runs again may reckon another moment
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
  throw new AgentError('usage.bad-input', `The question "${text}" expires at no moment.`, {
    hint: 'Give its end as milliseconds since 1970, or leave it out.',
  });
}

/** A question that stands in the log expires when that says. */
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

/** A question may show a lot before it comes to the point; its beginning tells which one it is. */
function unanswered(text: string): ErrorData {
  const [line = ''] = text.trim().split('\n', 1);
  const shown = whole(line, mostShown);
  return {
    code: 'policy.expired',
    message: `Nobody answered "${shown === text.trim() ? shown : `${shown}…`}" in time.`,
    hint: 'Ask for it again.',
  };
}

/** A question to a person. */
interface Asking extends Awaiting {
  readonly key: string;
  readonly request: Json;
  readonly requested: (begun: Begun & { readonly id: string }) => EventBody;
  /** Who wants to know that it waits, besides the callers of its frame and of those above. */
  readonly onWait?: (() => void) | undefined;
}

/** Asks a person: the question stays open until somebody answers, in this process or a later one, or until it is too late. */
export async function askPerson(execution: Execution, frame: Frame, asking: Asking): Promise<Json> {
  mustBeOutside(frame);
  const begun: Begun = { key: asking.key, request: hashOf(asking.request) };
  const outcome =
    underWay<StepOutcome>(execution, frame, begun) ??
    track(
      frame,
      begun,
      recordedOutcome(execution, frame, begun) ?? awaitAnswer(execution, frame, asking, begun),
    );
  const { value, error } = await outcome;
  if (error !== undefined) throw fromErrorData(error);
  return detach(value ?? null);
}

async function awaitAnswer(
  execution: Execution,
  frame: Frame,
  asking: Asking,
  begun: Begun,
): Promise<StepOutcome> {
  const id = questionIdOf(frame.id, asking.key);
  if (execution.state.step(frame.id, asking.key) === undefined) {
    await frame.busy(() => execution.turns.mayBegin());
    await frame.busy(() => execution.journal.add(frame.id, asking.requested({ ...begun, id })));
  }
  const answer = execution.answers.wait(frame, id, asking);
  for (const onWait of [asking.onWait, ...frame.path.map(({ options }) => options.onWait)]) onWait?.();
  return await answer;
}
