import {
  AgentError,
  createLimiter,
  nearestNames,
  nearHint,
  toErrorData,
  type Json,
  type Output,
  type Scope,
  type ToolCall,
} from '../../core/index.ts';
import type { Background } from './background.ts';
import type { AddedResult, LoopConversation } from './conversation.ts';
import type { Hooks } from './hooks.ts';
import { isReferring, resolveReferences, type LoopResult } from './references.ts';
import { failedOutput, holds, type LoopTool, type ToolReply } from './tools.ts';

/** A model's tool call and its result. */
export interface CompletedCall {
  readonly call: ToolCall;
  readonly output: Output;
}

const maxConcurrent = 8;
const maxCalls = 128; // The maximum number of calls per step.

/** The calls that a model requested in one step. */
interface RequestedCalls {
  readonly tools: readonly LoopTool[];
  readonly calls: readonly ToolCall[];
  readonly conversation: LoopConversation;
  readonly hooks: Hooks;
  readonly background: Background;
  /** The prefix of each call's key. */
  readonly key: string;
  /** Set only in the last step, in which no other tool can be called. */
  readonly only?: { readonly tool: LoopTool | undefined } | undefined;
}

/**
 * Makes the calls of one step and adds their results to the conversation in order. Calls run concurrently
 * unless their tool is sequential. If a call cannot be made, the model receives an error. A call to an
 * unknown tool, or one that the last step does not allow, is recorded as a refusal. Any other invalid call is
 * recorded as a note.
 */
export async function runCalls(scope: Scope, requested: RequestedCalls): Promise<readonly CompletedCall[]> {
  const { tools, conversation, only } = requested;
  const toolOf = (call: ToolCall): LoopTool | undefined => tools.find(({ name }) => name === call.name);
  const isAllowed = (call: ToolCall): boolean =>
    only === undefined || (only.tool !== undefined && toolOf(call) === only.tool);
  const step = { ...requested, loaded: new Set<string>() };
  const results = await runInLanes(
    requested.calls.slice(0, maxCalls),
    (call) => holds(toolOf(call)?.sequential, call.input),
    maxConcurrent,
    async (call, index) => {
      const key = `${requested.key}${index + 1}`;
      if (isAllowed(call)) return make(scope, toolOf(call), call, step, key);
      await scope.call(call.name, call.input, { key, refusal: toErrorData(tooLate(call.name)) });
      return undefined;
    },
  );
  return requested.calls.flatMap((call, index) => {
    if (!isAllowed(call)) {
      conversation.addUnmade([call]);
      return [];
    }
    const result: AddedResult = results[index] ?? { reply: failedOutput(tooMany()), key: '' };
    conversation.addResult(call, result);
    if (result.reply.later !== undefined) requested.background.add(result.reply.later);
    return [{ call, output: result.reply }];
  });
}

/** A step whose calls are running. */
interface OpenStep extends RequestedCalls {
  /**
   * The keys of this step's calls that loaded a text. The texts are added to the conversation after the step.
   */
  readonly loaded: Set<string>;
}

async function make(
  scope: Scope,
  tool: LoopTool | undefined,
  call: ToolCall,
  step: OpenStep,
  key: string,
): Promise<AddedResult> {
  if (tool === undefined) {
    const refusal = toErrorData(noSuchTool(call.name, step.tools, scope));
    return { reply: await scope.call(call.name, call.input, { key, refusal }), key };
  }
  let input: Json;
  try {
    await step.conversation.load(call.input);
    const asked = inputFor(tool, call, (name) => step.conversation.result(name));
    input = tool.rename?.(asked) ?? asked;
  } catch (thrown) {
    const reply = failedOutput(thrown);
    scope.note(`The model made an invalid call: ${reply.text}`);
    return { reply, key };
  }
  const hookCall = { tool: tool.label ?? tool.name, input };
  const objection = tool.unhooked === true ? undefined : await step.hooks.before(hookCall, key);
  if (objection !== undefined) {
    scope.note(`A hook blocked a call of ${hookCall.tool}: ${objection}`);
    return { reply: failedOutput(new AgentError('policy.denied', objection)), key };
  }
  const reply = await replyOf(tool, input, step, key);
  const remark = tool.unhooked === true ? undefined : await step.hooks.after(hookCall, reply, key);
  if (reply.loaded !== undefined) {
    step.loaded.add(key);
    step.hooks.listen(reply.loaded);
  }
  return { reply, key, remark };
}

async function replyOf(tool: LoopTool, input: Json, step: OpenStep, key: string): Promise<ToolReply> {
  const isInContext = (other: string): boolean =>
    step.loaded.has(other) || step.conversation.isInContext(other);
  try {
    return await tool.call(input, key, isInContext);
  } catch (thrown) {
    return failedOutput(thrown);
  }
}

/** Creates the error for an unknown tool. Suggests similar names of tools and callable skills. */
function noSuchTool(name: string, tools: readonly LoopTool[], scope: Scope): AgentError {
  const names = tools.map((tool) => tool.name);
  const known = names.length === 0 ? 'There are no tools.' : `The tools are: ${names.join(', ')}.`;
  const near = nearestNames(name, new Set([...names, ...scope.skills.callable.map((skill) => skill.name)]));
  return new AgentError('usage.not-found', `There is no tool "${name}".`, {
    hint: [nearHint(near), known].filter((part) => part !== undefined).join(' '),
    details: { near: [...near] },
  });
}

/** Creates the error for a call in the last step, whose result could not be used. */
function tooLate(name: string): AgentError {
  return new AgentError(
    'limit.steps',
    `"${name}" was not called, because no step was left to use its result.`,
    {
      hint: 'Allow more steps.',
      details: { limit: 'steps' },
    },
  );
}

function tooMany(): AgentError {
  return new AgentError('limit.calls', `A step can make at most ${maxCalls} calls.`, {
    hint: 'Repeat the calls that are still needed.',
  });
}

/**
 * Runs `work` for all items and returns the results in order. At most `most` items run at the same time. A
 * sequential item runs alone: it starts after all earlier items have ended, and later items wait for it.
 * `work` must never reject.
 */
export async function runInLanes<Item, Result>(
  items: readonly Item[],
  isSequential: (item: Item) => boolean,
  most: number,
  work: (item: Item, index: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const [only] = items;
  if (only !== undefined && items.length === 1) return [await work(only, 0)];
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

/**
 * Returns the input of a call, with references replaced by results. Throws `usage.bad-input` if the input
 * cannot be read, or if it contains references that the tool does not allow.
 */
function inputFor(tool: LoopTool, call: ToolCall, find: (name: string) => LoopResult | undefined): Json {
  if (call.fault !== undefined) throw unreadable(call.name, call.fault);
  if (!holds(tool.literal, call.input)) return resolveReferences(call.input, find, tool.input);
  if (isReferring(call.input, find)) throw wouldBeCommand(call.name);
  return call.input;
}

function unreadable(name: string, fault: string): AgentError {
  return new AgentError('usage.bad-input', `Invalid input for "${name}": ${fault}`, {
    hint: 'Call the tool again with one JSON object that matches its schema.',
  });
}

/**
 * Creates the error for a command that contains the name of a result. A result may come from an untrusted
 * source, and inside a command it would run as code.
 */
function wouldBeCommand(name: string): AgentError {
  return new AgentError(
    'usage.bad-input',
    `"${name}" does not accept result names, because the results could be run as commands.`,
    { hint: 'Write the result to a file with another tool, and use that file.' },
  );
}
