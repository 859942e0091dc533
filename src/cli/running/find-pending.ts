import type { PendingApproval } from '../../agent/runs/pending.ts';
import { AgentError } from '../../core/error.ts';

/**
 * The one decision that a word names: `run/question`, a question, or a run that waits for a single one; the beginning of
 * an id is enough. Throws `usage.not-found`, also where several are meant. Pure.
 */
export function findPending(pending: readonly PendingApproval[], word: string): PendingApproval {
  const slash = word.indexOf('/');
  const first = slash < 0 ? word : word.slice(0, slash);
  const second = slash < 0 ? undefined : word.slice(slash + 1);
  const found = pending.filter(({ runId, id }) => {
    if (second !== undefined) return begins(runId, first) && begins(id, second);
    return begins(id, first) || begins(runId, first);
  });
  const exact = found.filter(({ runId, id }) => [`${runId}/${id}`, id, runId].includes(word));
  const [only, other] = exact.length > 0 ? exact : found;
  if (only !== undefined && other === undefined) return only;
  if (only === undefined)
    throw new AgentError('usage.not-found', `Nothing that is called ${word} waits for a decision.`, {
      hint: 'See what does: `skilled approve`',
    });
  const names = found.slice(0, mostNamed).map(({ runId, id }) => `${runId}/${id}`);
  throw new AgentError('usage.not-found', `${word} stands for ${found.length} decisions.`, {
    hint: `Name one: ${names.join(', ')}${found.length > mostNamed ? ', …' : ''}`,
  });
}

const mostNamed = 5;

function begins(id: string, beginning: string): boolean {
  return beginning !== '' && id.startsWith(beginning);
}
