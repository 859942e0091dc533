import type { ErrorData } from '../../core/error.ts';
import type { OpenQuestion } from '../../core/run.ts';
import { visible } from '../../core/text.ts';

/** What a client is told that cannot show a question: what is asked, and the command by which a person answers it. */
export function waitingText(runId: string, { id, kind, text, options = [] }: OpenQuestion): ErrorData {
  const isApproval = kind === 'approval';
  const choices = options.length === 0 ? '' : ` (${options.map(visible).join(', ')})`;
  const next = isApproval ? `skilled approve ${runId}/${id}` : `skilled resume ${runId} "<answer>"`;
  return {
    code: 'policy.waiting',
    message: `The run ${runId} waits for a person: ${isApproval ? visible(text) : text}${choices}`,
    hint: `${isApproval ? 'Somebody must decide' : 'Somebody must answer'} at a terminal: \`${next}\``,
  };
}
