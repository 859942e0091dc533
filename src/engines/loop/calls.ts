import { AgentError, isAgentError, reasonOf, toErrorData } from '../../core/error.ts';
import type { ToolCall } from '../../core/model.ts';
import { didYouMean } from '../../core/names.ts';
import type { Output } from '../../core/output.ts';
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

/**
 * Makes the calls of one step and tells the conversation what they came to, in their order. Calls run at the same time
 * unless their tool is sequential. One that cannot be made is an error that the model reads.
 */
export async function runCalls(
  tools: readonly LoopTool[],
  calls: readonly ToolCall[],
  conversation: Conversation,
  keyPrefix: string,
): Promise<readonly MadeCall[]> {
  const toolOf = (call: ToolCall): LoopTool | undefined => tools.find(({ name }) => name === call.name);
  const outputs = await runInLanes(
    calls,
    (call) => toolOf(call)?.sequential === true,
    mostAtOnce,
    (call, index) => make(toolOf(call), call, tools, conversation, `${keyPrefix}${index + 1}`),
  );
  return calls.map((call, index) => {
    const output = outputs[index] ?? failed(new Error('a call without an output'));
    conversation.addResult(call, output);
    return { call, output };
  });
}

async function make(
  tool: LoopTool | undefined,
  { name, input, fault }: ToolCall,
  tools: readonly LoopTool[],
  conversation: Conversation,
  key: string,
): Promise<Output> {
  try {
    if (tool === undefined) throw noSuchTool(name, tools);
    if (fault !== undefined) throw unreadable(name, fault);
    return await tool.call(
      resolveReferences(input, (reference) => conversation.result(reference), tool.input),
      key,
    );
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
