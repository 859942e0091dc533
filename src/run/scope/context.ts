import {
  isAssistant,
  optional,
  type Surroundings,
  type Message,
  type MessageAttachment,
  type Scope,
  type ScopeContext,
  type SessionTurn,
} from '../../core/index.ts';
import type { Frame } from '../calls/frame.ts';
import type { Execution } from '../lifecycle/execution.ts';
import { isConversation, readTurns } from '../routing/conversation.ts';
import { storeAttachments } from './attachments.ts';
import { readSummary } from './memory.ts';
import { readStep } from './step.ts';

/** The members of a scope that its context uses. */
interface ContextParts extends Pick<Scope, 'memory' | 'ask' | 'note'> {
  readonly outside: <Value>(work: () => Promise<Value>) => Promise<Value>;
}

/**
 * Returns the context of a prompt: its session, its memory, its surroundings and its I/O functions. Questions
 * and output are logged.
 */
export function createContext(execution: Execution, frame: Frame, parts: ContextParts): ScopeContext {
  const { session, state } = execution;
  const { memory, ask, note, outside } = parts;
  const { io } = state.started ?? {};
  return {
    sessionId: session,
    sessionMemory: memory,
    turns: (after) => outside(() => turns(execution, frame, after)),
    surroundings: () => outside(() => surroundings(execution, frame)),
    async attach(picture) {
      const [stored] = await storeAttachments(execution.kernel.store, session, [picture]);
      return stored as MessageAttachment;
    },
    ...optional(
      'io',
      io && {
        ...(io.reads ? { inputReader: ask } : {}),
        ...(io.writes ? { outputWriter: note } : {}),
      },
    ),
  };
}

/**
 * Reads the session's turns. Records only the number of the last one, because the turns themselves never
 * change.
 */
async function turns(execution: Execution, frame: Frame, after: number): Promise<readonly SessionTurn[]> {
  if (!isFirstOfTurn(execution, frame)) return [];
  const stored = await frame.busy(() => readTurns(execution.store, execution.session));
  const newest = (): number => stored.at(-1)?.number ?? 0;
  const last = (await readStep(execution, frame, frame.occurrence('turns'), newest)) as number;
  return stored
    .filter(({ number }) => number > after && number <= last)
    .map(({ number, prompt, attachments, calls, text, isNamed }) => ({
      number,
      messages: [
        { role: 'user', text: prompt, ...optional('attachments', attachments) },
        ...(isNamed ? calls : calls.map(withoutLabel)),
        { role: 'assistant', text },
      ],
    }));
}

/** Removes the name of a result that the assistant cannot refer to, because another skill gave it the name. */
function withoutLabel(message: Message): Message {
  if (message.role !== 'tool') return message;
  return { ...message, text: message.text.replace(/^\[\$\$[\w-]+\]\n/, '') };
}

async function surroundings(execution: Execution, frame: Frame): Promise<Surroundings> {
  const { kernel } = execution;
  const read = async (): Promise<Surroundings> => {
    const isFirst = frame.parent === execution.top;
    const isSummarised = kernel.summarises && isFirst && isConversation(execution);
    const summary = isSummarised ? await readSummary(execution) : undefined;
    const common = kernel.surroundings();
    const program = [common.program, isFirst ? execution.state.started?.instructions : undefined]
      .filter((text) => text !== undefined && text.trim() !== '')
      .join('\n\n');
    return {
      ...common,
      ...(program === '' ? {} : { program }),
      isTurn: isFirstOfTurn(execution, frame),
      ...optional('attachments', isFirst ? execution.state.started?.attachments : undefined),
      ...optional('summary', summary),
    };
  };
  const found = await readStep(execution, frame, frame.occurrence('surroundings'), read);
  return found as unknown as Surroundings;
}

/**
 * Whether a frame is the first of a turn. The assistant also counts if it is called without a prompt, for
 * example to summarise the conversation.
 */
function isFirstOfTurn({ kernel, state, top }: Execution, frame: Frame): boolean {
  const { turn, prompt } = state.started ?? {};
  if (frame.parent !== top || kernel.memory !== undefined) return false;
  return turn === true || (prompt === undefined && isAssistant(frame.skill?.name ?? ''));
}
