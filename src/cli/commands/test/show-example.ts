import type { RecursiveSkilledAgent } from '../../../config/preset.ts';
import { AgentError } from '../../../core/error.ts';
import { buildExampleCase } from '../../../evals/example.ts';
import { placeOfTrials } from '../../../evals/find-evals.ts';
import type { Invocation } from '../../command.ts';
import { printJson } from '../../output/json.ts';
import { oneLine } from '../../output/text.ts';

/** Prints a first case for the skill that is named, and where it belongs. */
export function showExample(agent: RecursiveSkilledAgent, { words, flags, terminal }: Invocation): number {
  const [name, ...more] = words;
  if (name === undefined || more.length > 0)
    throw new AgentError('usage.bad-input', '--example needs the name of one skill.', {
      hint: 'Write `skilled test --example <skill>`.',
    });
  const skill = agent.skills.resolve(name.replace(/^\//, ''));
  const text = buildExampleCase(skill);
  const file = placeOfTrials(skill);
  if (flags.json) {
    printJson(terminal, { ok: true, skill: skill.name, file, text });
    return 0;
  }
  terminal.out(text);
  if (!flags.quiet && skill.dir !== '') terminal.err(`It belongs into ${oneLine(file)}\n`);
  return 0;
}
