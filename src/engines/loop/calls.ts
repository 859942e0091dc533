import {
  AgentError,
  createLimiter,
  didYouMean,
  type Json,
  type Output,
  type Scope,
  type ToolCall,
} from '../../core/index.ts';
import type { Background } from './background.ts';
import type { AddedResult, LoopConversation } from './conversation.ts';
import type { Hooks } from './hooks.ts';
import { isReferring, resolveReferences, type Result } from './references.ts';
import { failedOutput, holds, type LoopTool, type ToolReply } from './tools.ts';

/** A call of a model, and what it came to. */
export interface MadeCall {
  readonly call: ToolCall;
  readonly output: Output;
}

const mostAtOnce = 8;
const mostCalls = 128; // of one step

/** The calls of one step. */
interface WantedCalls {
  readonly tools: readonly LoopTool[];
  readonly calls: readonly ToolCall[];
  readonly conversation: LoopConversation;
  readonly hooks: Hooks;
  readonly background: Background;
  /** What the key of each begins with. */
  readonly key: string;
  /** Set when no step comes behind it: only calls of this tool are made. */
  readonly only?: { readonly tool: LoopTool | undefined } | undefined;
}

/**
 * Makes the calls of one step and tells the conversation what they came to, in their order. Calls run at the same time
 * unless their tool is sequential. One that cannot be made is an error that the model reads, and a note for people.
 */
export async function runCalls(scope: Scope, wanted: WantedCalls): Promise<readonly MadeCall[]> {
  const { tools, conversation, only } = wanted;
  const toolOf = (call: ToolCall): LoopTool | undefined => tools.find(({ name }) => name === call.name);
  const isMade = (call: ToolCall): boolean =>
    only === undefined || (only.tool !== undefined && toolOf(call) === only.tool);
  const step = { ...wanted, loaded: new Set<string>() };
  const results = await runInLanes(
    wanted.calls.slice(0, mostCalls),
    (call) => holds(toolOf(call)?.sequential, call.input),
    mostAtOnce,
    async (call, index) =>
      isMade(call) ? make(scope, toolOf(call), call, step, `${wanted.key}${index + 1}`) : undefined,
  );
  return wanted.calls.flatMap((call, index) => {
    if (!isMade(call)) {
      conversation.addUnmade([call]);
      return [];
    }
    const result: AddedResult = results[index] ?? { reply: failedOutput(tooMany()), key: '' };
    conversation.addResult(call, result);
    if (result.reply.later !== undefined) wanted.background.add(result.reply.later);
    return [{ call, output: result.reply }];
  });
}

/** A step while its calls are made. */
interface OpenStep extends WantedCalls {
  /** The keys of its calls that loaded a text, of which the conversation does not know yet. */
  readonly loaded: Set<string>;
}

async function make(
  scope: Scope,
  tool: LoopTool | undefined,
  call: ToolCall,
  step: OpenStep,
  key: string,
): Promise<AddedResult> {
  let input: Json;
  try {
    if (tool === undefined) throw noSuchTool(call.name, step.tools);
    input = inputFor(tool, call, (name) => step.conversation.result(name));
  } catch (thrown) {
    const reply = failedOutput(thrown);
    scope.note(`A call of the model could not be made: ${reply.text}`);
    return { reply, key };
  }
  const heard = { tool: tool.label ?? tool.name, input };
  const objection = tool.unhooked === true ? undefined : await step.hooks.before(heard, key);
  if (objection !== undefined) {
    scope.note(`A hook kept a call of ${heard.tool} from being made: ${objection}`);
    return { reply: failedOutput(new AgentError('policy.denied', objection)), key };
  }
  const reply = await replyOf(tool, input, step, key);
  const remark = tool.unhooked === true ? undefined : await step.hooks.after(heard, reply, key);
  if (reply.loaded !== undefined) {
    step.loaded.add(key);
    step.hooks.listen(reply.loaded);
  }
  return { reply, key, remark };
}

async function replyOf(tool: LoopTool, input: Json, step: OpenStep, key: string): Promise<ToolReply> {
  const stands = (other: string): boolean => step.loaded.has(other) || step.conversation.stands(other);
  try {
    return await tool.call(input, key, stands);
  } catch (thrown) {
    return failedOutput(thrown);
  }
}

function noSuchTool(name: string, tools: readonly LoopTool[]): AgentError {
  const names = tools.map((tool) => tool.name);
  const known = names.length === 0 ? 'There are no tools.' : `The tools are: ${names.join(', ')}.`;
  return new AgentError('usage.not-found', `There is no tool "${name}".`, {
    hint: [didYouMean(name, names), known].filter((part) => part !== undefined).join(' '),
  });
}

function tooMany(): AgentError {
  return new AgentError('limit.calls', `More than ${mostCalls} calls at once are not made.`, {
    hint: 'Call again what is still needed.',
  });
}

/**
 * Does the work of all items and gives the results in their order. So many run at the same time; one that is
 * sequential waits for all before it and holds back all behind it. `work` never rejects.
 */
export async function runInLanes<Item, Result>(
  items: readonly Item[],
  isSequential: (item: Item) => boolean,
  most: number,
  work: (item: Item, index: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const limiter = createLimiter(most);
  const results: Promise<Result>[] = [];
  for (const [index, item] of items.entries()) {
    const isAlone = isSequential(item);
    if (isAlone) await Promise.all(results);
    const result = limiter.run(() => work(item, index));
    results.push(result);
    if (isAlone) await result;
  }
  return await Promise.all(results);
}

/** The input of a call as its tool gets it; throws `usage.bad-input` for one that cannot be read, and for names where none may stand. */
function inputFor(tool: LoopTool, call: ToolCall, find: (name: string) => Result | undefined): Json {
  if (call.fault !== undefined) throw unreadable(call.name, call.fault);
  if (!holds(tool.literal, call.input)) return resolveReferences(call.input, find, tool.input);
  if (isReferring(call.input, find)) throw wouldBeCommand(call.name);
  return call.input;
}

function unreadable(name: string, fault: string): AgentError {
  return new AgentError('usage.bad-input', `The input of "${name}" could not be read: ${fault}`, {
    hint: 'Call it again with one JSON object that fits its schema.',
  });
}

/** A result of somebody else is data; inside a command it would be read as a part of it. */
function wouldBeCommand(name: string): AgentError {
  return new AgentError(
    'usage.bad-input',
    `"${name}" takes no names of results: they could become commands.`,
    { hint: 'Write the result to a file with another tool, and use that file.' },
  );
}
