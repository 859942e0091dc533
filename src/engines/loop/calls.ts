import { AgentError, isAgentError, reasonOf, toErrorData } from '../../core/error.ts';
import type { Json } from '../../core/json.ts';
import type { ToolCall } from '../../core/model.ts';
import { didYouMean } from '../../core/names.ts';
import type { Output } from '../../core/output.ts';
import type { Scope } from '../../core/scope.ts';
import type { Conversation } from './conversation.ts';
import { runInLanes } from './lanes.ts';
import { resolveReferences } from './references.ts';
import type { LoopTool } from './tools.ts';

/** A call of a model, and what it came to. */
export interface MadeCall {
  readonly call: ToolCall;
  readonly output: Output;
}

const mostAtOnce = 8;

/** The calls of one step. */
export interface WantedCalls {
  readonly tools: readonly LoopTool[];
  readonly calls: readonly ToolCall[];
  readonly conversation: Conversation;
  /** What the key of each begins with. */
  readonly key: string;
}

/**
 * Makes the calls of one step and tells the conversation what they came to, in their order. Calls run at the same time
 * unless their tool is sequential. One that cannot be made is an error that the model reads, and a note for people.
 */
export async function runCalls(scope: Scope, wanted: WantedCalls): Promise<readonly MadeCall[]> {
  const { tools, calls, conversation, key } = wanted;
  const toolOf = (call: ToolCall): LoopTool | undefined => tools.find(({ name }) => name === call.name);
  const outputs = await runInLanes(
    calls,
    (call) => toolOf(call)?.sequential === true,
    mostAtOnce,
    (call, index) => make(scope, toolOf(call), call, wanted, `${key}${index + 1}`),
  );
  return calls.map((call, index) => {
    const output = outputs[index] ?? failed(new Error('a call without an output'));
    conversation.addResult(call, output);
    return { call, output };
  });
}

async function make(
  scope: Scope,
  tool: LoopTool | undefined,
  call: ToolCall,
  { tools, conversation }: WantedCalls,
  key: string,
): Promise<Output> {
  let input: Json;
  try {
    if (tool === undefined) throw noSuchTool(call.name, tools);
    if (call.fault !== undefined) throw unreadable(call.name, call.fault);
    input = resolveReferences(call.input, (name) => conversation.result(name), tool.input);
  } catch (thrown) {
    const output = failed(thrown);
    scope.note(`A call of the model could not be made: ${output.text}`);
    return output;
  }
  try {
    return await tool.call(input, key);
  } catch (thrown) {
    return failed(thrown);
  }
}

/** What a tool throws is its own failure, not a defect of this package. */
function failed(thrown: unknown): Output {
  const error = toErrorData(isAgentError(thrown) ? thrown : new AgentError('skill.failed', reasonOf(thrown)));
  return { status: 'failed', text: error.message, error };
}

function noSuchTool(name: string, tools: readonly LoopTool[]): AgentError {
  const names = tools.map((tool) => tool.name);
  const known = names.length === 0 ? 'There are no tools.' : `The tools are: ${names.join(', ')}.`;
  return new AgentError('usage.not-found', `There is no tool "${name}".`, {
    hint: [didYouMean(name, names), known].filter((part) => part !== undefined).join(' '),
  });
}

function unreadable(name: string, fault: string): AgentError {
  return new AgentError('usage.bad-input', `The input of "${name}" could not be read: ${fault}`, {
    hint: 'Call it again with one JSON object that fits its schema.',
  });
}
