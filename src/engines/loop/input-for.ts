import { AgentError } from '../../core/error.ts';
import type { Json } from '../../core/json.ts';
import type { ToolCall } from '../../core/model.ts';
import { isReferring, resolveReferences, type Result } from './references.ts';
import { holds, type LoopTool } from './tools.ts';

/** The input of a call as its tool gets it; throws `usage.bad-input` for one that cannot be read, and for names where none may stand. */
export function inputFor(tool: LoopTool, call: ToolCall, find: (name: string) => Result | undefined): Json {
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
