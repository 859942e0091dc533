import { visible } from '../../core/text.ts';
import type { Output } from '../../core/run.ts';
import type { Scope } from '../../core/scope.ts';
import type { ToolRequest, ToolResult } from '../../core/servers/tool-server.ts';
import { failedOutput } from '../loop/failed-output.ts';
import { outputOf } from './output-of.ts';

/** Makes one request to a server and gives what it came to; what goes wrong is data. `name` is that of the skill. */
export async function askServer(
  name: string,
  scope: Scope,
  ask: (request: ToolRequest) => Promise<ToolResult>,
): Promise<Output> {
  const { signal, idempotencyKey } = scope;
  try {
    const result = await ask({ signal, idempotencyKey, onProgress: noteProgress(scope) });
    return outputOf(name, result, scope);
  } catch (thrown) {
    return failedOutput(thrown);
  }
}

const leastBetween = 250; // milliseconds
const longest = 200; // characters

/** Notes for whoever watches, a few in a second however many the server sends. */
function noteProgress(scope: Scope): NonNullable<ToolRequest['onProgress']> {
  let last = Number.NEGATIVE_INFINITY;
  return ({ done, total, message = '' }) => {
    const now = performance.now();
    if (now - last < leastBetween) return;
    last = now;
    const amount = total === undefined ? String(done) : `${done} of ${total}`;
    const said = visible(message.trim().slice(0, longest));
    scope.note(said === '' ? `Progress: ${amount}` : `Progress: ${amount}, ${said}`);
  };
}
