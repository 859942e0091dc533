import { AgentError } from '../../../core/error.ts';
import type { RunArtifact } from '../../../views/run-result.ts';
import { oneLine } from '../../output/text.ts';

const mostNamed = 10;

/** The one artifact that a word means: its name, or its number in the list; throws `usage.not-found`, and `usage.bad-input` for several. */
export function findArtifact(runId: string, all: readonly RunArtifact[], word: string): RunArtifact {
  const named = all.filter(({ name }) => name === word);
  const found = named.length > 0 ? named : all.filter(({ number }) => String(number) === word);
  const [first, second] = found;
  if (first === undefined) {
    throw new AgentError('usage.not-found', `Run ${runId} kept nothing called ${oneLine(word)}.`, {
      hint:
        all.length === 0
          ? `See what happened in it: \`skilled trace ${runId}\``
          : `Name one of ${listed(all)}.`,
    });
  }
  if (second === undefined) return first;
  throw new AgentError('usage.bad-input', `Run ${runId} kept several called ${oneLine(word)}.`, {
    hint: `Give the number of one: ${listed(found)}.`,
  });
}

function listed(artifacts: readonly RunArtifact[]): string {
  const shown = artifacts
    .slice(0, mostNamed)
    .map(({ number, name, skill }) => `${number} (${oneLine(name)} of ${oneLine(skill)})`);
  return [...shown, ...(artifacts.length > mostNamed ? ['…'] : [])].join(', ');
}
