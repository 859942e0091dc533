import type { Begun } from '../core/event.ts';
import type { Message, ModelRequest } from '../core/model.ts';
import type { AskedModel } from './asked-model.ts';
import type { Execution } from './execution.ts';
import type { Frame } from './frame.ts';
import { sharedMessages, type KnownMessage, type KnownRequest } from './known-messages.ts';
import { takeSteering } from './steering.ts';
import type { KnownStep } from './state.ts';
import type { Beginning } from './step.ts';

/** What stands in the log when a model is asked: only what its frame did not ask before, and what joins. */
export async function beginModel(
  execution: Execution,
  frame: Frame,
  asked: AskedModel & {
    readonly known: KnownRequest;
    readonly begun: Begun;
    readonly before: KnownStep | undefined;
  },
): Promise<Beginning> {
  const { tier, model, request, known, begun, before } = asked;
  const { messages, taken } = await joining(execution, frame, request, before);
  const kept = sharedMessages(frame.lastMessages ?? [], known.messages);
  frame.lastMessages = wholeRequest(execution, request, messages); // in the order of the log, as nothing is waited for
  const event = {
    type: 'model.started',
    ...begun,
    tier,
    model: model?.id ?? '',
    kept,
    added: known.messages.slice(kept).map(({ clean }) => clean),
    ...(messages.length === 0 ? {} : { joined: messages }),
  } as const;
  return { event, entries: taken };
}

/** What joined before a crash joins again; something new can join only a request that is new. */
async function joining(
  execution: Execution,
  frame: Frame,
  { joins }: ModelRequest,
  before: KnownStep | undefined,
): ReturnType<typeof takeSteering> {
  if (before !== undefined) return { messages: before.joined ?? [], taken: [] };
  return joins === true ? takeSteering(execution, frame) : { messages: [], taken: [] };
}

/** What a model is asked, with what joined it. */
export function wholeRequest(
  { messages }: Execution,
  request: ModelRequest,
  joined: readonly Message[] = [],
): readonly KnownMessage[] {
  return messages.conversation([...request.messages, ...joined]);
}
