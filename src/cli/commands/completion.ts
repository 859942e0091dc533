import { AgentError } from '../../core/error.ts';
import { didYouMean } from '../../core/names.ts';
import type { Command, CommandEntry, Invocation } from '../command.ts';
import { mustBeFolder } from '../must-be-folder.ts';
import { printJson } from '../output/json.ts';
import { completeWords } from './completion/complete-words.ts';
import { scripts } from './completion/scripts.ts';

const installing = `bash: add this line to ~/.bashrc
  source <(skilled completion bash)

zsh: add this line to ~/.zshrc, behind the one with compinit
  source <(skilled completion zsh)

fish: write the script once
  skilled completion fish > ~/.config/fish/completions/skilled.fish
`;

/** `skilled completion`: prints the script by which a shell completes our commands, or how to install it. */
export function createCompletion(commands: readonly CommandEntry[]): Command {
  return {
    summary: 'Print a script that completes commands, flags, skills and runs in your shell.',
    usage: `Usage: skilled completion bash|zsh|fish

Alone it says how to install the script, which asks skilled itself whenever Tab is pressed,
so it stays right when skills or commands are added.

  source <(skilled completion bash)
  skilled completion fish > ~/.config/fish/completions/skilled.fish

  --words  what the scripts call: completes the last of the words behind --`,
    options: { words: { type: 'boolean' } },
    mostWords: Infinity,
    async run(invocation) {
      mustBeFolder(invocation.flags.cwd, '--cwd');
      if (invocation.own['words'] === true) return answerShell(invocation, commands);
      const { flags, words, terminal } = invocation;
      const [shell] = words;
      const text = shell === undefined ? installing : scriptFor(words);
      if (flags.json)
        printJson(terminal, {
          ok: true,
          ...(shell === undefined ? { help: text } : { shell, script: text }),
        });
      else terminal.out(text);
      return 0;
    },
  };
}

function scriptFor([shell = '', more]: readonly string[]): string {
  const script = scripts.get(shell);
  if (script !== undefined && more === undefined) return script;
  const fault =
    script === undefined ? `There is no script for "${shell}".` : `"${more}" is one word too many.`;
  const near = didYouMean(shell, scripts.keys());
  throw new AgentError('usage.bad-input', fault, {
    hint:
      (script === undefined ? near : undefined) ??
      `Write \`skilled completion bash\`; the shells are ${[...scripts.keys()].join(', ')}.`,
  });
}

/** The first line says what is to be completed; then comes one word in each line, with its meaning behind a tab. */
async function answerShell(
  { flags, words, terminal }: Invocation,
  commands: readonly CommandEntry[],
): Promise<number> {
  const { kind, offers } = await completeWords(words, commands, flags.cwd);
  if (flags.json) printJson(terminal, { ok: true, kind, words: offers });
  else terminal.out(`${kind}\n${offers.map(({ word, about }) => `${word}\t${about}\n`).join('')}`);
  return 0;
}
