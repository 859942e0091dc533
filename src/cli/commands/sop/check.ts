import { AgentError } from '../../../core/error.ts';
import { count } from '../../../doctor/report.ts';
import type { Invocation } from '../../command.ts';
import { openAgent } from '../../open-agent.ts';
import { printJson } from '../../output/json.ts';
import { paint } from '../../output/status.ts';
import { oneLine } from '../../output/text.ts';
import { checkScript, type CheckedFile } from './check-script.ts';
import { issueLines } from './issue-lines.ts';
import { mustName } from './must-name.ts';
import { readScript, type Script } from './read-script.ts';

/** All that is wrong with plans, which do not run; exit 3 when one of them could not. */
export async function checkScripts({ flags, words, terminal }: Invocation): Promise<number> {
  const scripts: Script[] = [];
  for (const file of mustBeReadable(words)) scripts.push(await readScript(file, flags.cwd));
  await using agent = await openAgent(flags);
  const files = scripts.map((script) => checkScript(agent, script, true));
  const ok = files.every(({ isSound }) => isSound);
  if (flags.json) {
    printJson(terminal, {
      ok,
      files: files.map(({ file, steps, issues }) => ({ file, steps: steps.length, issues })),
    });
    return ok ? 0 : 3;
  }
  for (const file of files) {
    const word = file.isSound ? paint('valid  ', 'green', terminal) : paint('invalid', 'red', terminal);
    terminal.out(`${word}  ${oneLine(file.file)}  ${count(file.steps.length, 'step')}\n`);
    for (const line of issueLines(file, terminal)) terminal.out(`  ${line}\n`);
  }
  if (!flags.quiet) terminal.err(`${summary(files)}\n`);
  return ok ? 0 : 3;
}

function mustBeReadable(words: readonly string[]): readonly string[] {
  mustName(words, 'check');
  if (words.filter((word) => word === '-').length < 2) return words;
  throw new AgentError('usage.bad-input', 'stdin can be read once.', { hint: 'Leave out one -.' });
}

function summary(files: readonly CheckedFile[]): string {
  const valid = files.filter(({ isSound }) => isSound).length;
  const warnings = files.flatMap(({ issues }) => issues.filter(({ level }) => level === 'warning')).length;
  const more = warnings === 0 ? '' : `, ${count(warnings, 'warning')}`;
  return `${valid} valid, ${files.length - valid} invalid${more}.`;
}
