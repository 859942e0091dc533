import {
  isAssistant,
  valueBeside,
  type Json,
  type Message,
  type Output,
  type RunEvent,
  type ToolCall,
} from '../../core/index.ts';

const maxTokens = 3_000; // The maximum number of tokens for all calls of a turn.
const maxText = 2_000; // The maximum number of characters of each text.

/**
 * Returns the calls of a run's first skill and their results, for later turns of the session. These are the
 * calls that the model requested or, for a plan or a program, the calls that were executed. `isComplete`
 * states whether the text of a skill's results contains everything in their values. Pure.
 */
export function callsIn(
  events: readonly RunEvent[],
  isComplete: (skill: string) => boolean = () => false,
): readonly Message[] {
  const first = events.find((event) => event.type === 'frame.started' && event.parent === '');
  if (first?.type !== 'frame.started') return [];
  const isRequested = events.some(
    (event) =>
      event.type === 'model.ended' && event.frameId === first.frameId && event.reply.calls.length > 0,
  );
  const calls = isRequested
    ? requestedCalls(events, first.frameId)
    : collectCalls(events, first.frameId, isComplete);
  if (isAssistant(first.skill)) return fitted(calls);
  return lastTurns(calls.map(shortened), maxTokens);
}

const maxWhole = 24_000; // The maximum number of tokens for all calls of a turn of the assistant.

/**
 * Keeps the calls of the assistant as the model saw them, so that the next prompt begins with the same text.
 * Shortens them only if they are very long; texts of loaded skills last.
 */
function fitted(calls: readonly Message[]): readonly Message[] {
  const plain = calls.map(withoutNative);
  if (sizeIn(plain) <= maxWhole) return plain;
  const isLoaded = (message: Message): boolean =>
    message.role === 'tool' && message.text.startsWith('[loaded ');
  const short = plain.map((message) => (isLoaded(message) ? message : shortened(message)));
  return sizeIn(short) <= maxWhole ? short : lastTurns(short, maxWhole);
}

function sizeIn(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + JSON.stringify(message).length, 0) / charactersOfToken;
}

function withoutNative(message: Message): Message {
  if (message.role !== 'assistant') return message;
  const { native: _native, ...plain } = message;
  return plain;
}

/** Collects the calls in a model's replies. Their results are in the requests that follow. */
function requestedCalls(events: readonly RunEvent[], frameId: string): readonly Message[] {
  const messages: Message[] = [];
  let open = new Map<string, ToolCall>();
  let step: { text: string; calls: ToolCall[]; results: Message[] } | undefined;
  const close = (): void => {
    if (step === undefined || step.calls.length === 0) return;
    messages.push({ role: 'assistant', text: step.text, calls: step.calls }, ...step.results);
    step = undefined;
  };
  for (const event of events) {
    if (event.frameId !== frameId) continue;
    if (event.type === 'model.started') {
      for (const message of [...event.added, ...(event.joined ?? [])]) {
        const call = message.role === 'tool' ? open.get(message.callId) : undefined;
        if (call === undefined) continue;
        open.delete(call.id);
        step?.calls.push(call);
        step?.results.push(message);
      }
      close();
      for (const message of event.joined ?? []) if (message.role === 'user') messages.push(message);
    }
    if (event.type === 'model.ended' && event.reply.calls.length > 0) {
      open = new Map(event.reply.calls.map((call) => [call.id, call]));
      step = { text: event.reply.text, calls: [], results: [] };
    }
  }
  return messages;
}

/** Collects the calls in nested frames, in the order in which they ended. */
function collectCalls(
  events: readonly RunEvent[],
  parent: string,
  isComplete: (skill: string) => boolean,
): readonly Message[] {
  const open = new Map<string, ToolCall>();
  return events.flatMap((event): readonly Message[] => {
    if (event.type === 'frame.started' && event.parent === parent && event.through === undefined)
      open.set(event.frameId, { id: event.frameId, name: event.skill, input: event.input });
    if (event.type === 'call.refused' && event.frameId === parent) {
      const { key, skill, input, error } = event;
      return pair({ id: key, name: skill, input }, `Error: ${error.message}`);
    }
    const call = event.type === 'frame.ended' ? open.get(event.frameId) : undefined;
    if (event.type !== 'frame.ended' || call === undefined) return [];
    return pair(call, resultText(event.output, isComplete(call.name)));
  });
}

function resultText(output: Output, isComplete: boolean): string {
  if (output.status === 'failed') return `Error: ${output.error.message}`;
  const { text, value } = output;
  if (text === '' && value !== undefined) return JSON.stringify(value);
  const beside = isComplete ? '' : valueBeside(output);
  return beside === '' ? text : `${text}\n\nValue: ${beside}`;
}

function pair(call: ToolCall, text: string): readonly Message[] {
  return [
    { role: 'assistant', text: '', calls: [call] },
    { role: 'tool', callId: call.id, name: call.name, text },
  ];
}

function shortened(message: Message): Message {
  if (message.role === 'tool') return { ...message, text: cut(message.text) };
  if (message.role === 'user') return { role: 'user', text: cut(message.text) };
  const calls = (message.calls ?? []).map(({ id, name, input }) => ({ id, name, input: shortInput(input) }));
  return { role: 'assistant', text: cut(message.text), calls };
}

function shortInput(input: Json): Json {
  const text = JSON.stringify(input);
  return text.length <= maxText ? input : cut(text);
}

function cut(text: string): string {
  return text.length <= maxText ? text : `${text.slice(0, maxText)} …`.toWellFormed();
}

const charactersOfToken = 4;

/**
 * Returns the last messages of a conversation, limited to about `tokens` tokens. The returned messages never
 * begin with a tool result whose call is missing.
 */
export function lastTurns(messages: readonly Message[], tokens: number): readonly Message[] {
  let left = tokens * charactersOfToken;
  let from = messages.length;
  while (from > 0 && (left -= JSON.stringify(messages[from - 1]).length) >= 0) from -= 1;
  while (messages[from]?.role === 'tool') from += 1;
  return messages.slice(from);
}
