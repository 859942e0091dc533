import { AgentError, didYouMean } from '../../../core/index.ts';
import {
  mustBeFolder,
  printJson,
  type CliCommand,
  type CommandEntry,
  type Invocation,
} from '../../command-kit.ts';
import { completeWords } from './complete.ts';

const installing = `bash: add this line to ~/.bashrc
  source <(skilled completion bash)

zsh: add this line to ~/.zshrc, behind the one with compinit
  source <(skilled completion zsh)

fish: write the script once
  skilled completion fish > ~/.config/fish/completions/skilled.fish
`;

/** `skilled completion`: prints the script by which a shell completes our commands, or how to install it. */
export function createCompletion(commands: readonly CommandEntry[]): CliCommand {
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

const bash = `# Completes skilled in bash: source <(skilled completion bash)
_skilled() {
  local rest=\${COMP_LINE:0:COMP_POINT} typed=() word breaks= mark kind= line prefix= i
  # Bash takes words apart at marks such as = : @; here they are whole again, up to the cursor.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $i -eq 0 || $rest == [[:blank:]]* ]]; then
      rest=\${rest#"\${rest%%[![:blank:]]*}"}
      typed+=("")
    fi
    ((\${#word} > \${#rest})) && word=$rest
    typed[\${#typed[@]} - 1]+=$word
    rest=\${rest#"$word"}
  done
  word=\${typed[\${#typed[@]} - 1]}
  for mark in = : @; do
    [[ $COMP_WORDBREAKS == *$mark* ]] && breaks+=$mark
  done
  [[ -n $breaks ]] && prefix=\${word%"\${word##*[$breaks]}"}
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ -z $kind ]]; then
      kind=$line
      continue
    fi
    line=\${line%%$'\\t'*}
    COMPREPLY+=("\${line#"$prefix"}")
  done < <(command skilled completion --words -- "\${typed[@]:1}" 2> /dev/null < /dev/null)
  case $kind in
    files) compopt -o default 2> /dev/null ;;
    folders) compopt -o dirnames 2> /dev/null ;;
  esac
}
complete -F _skilled skilled
`;

const zsh = `#compdef skilled
# Completes skilled in zsh: source <(skilled completion zsh)
_skilled() {
  local kind line
  local -a typed names shown
  typed=("\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}")
  while IFS= read -r line; do
    if [[ -z $kind ]]; then
      kind=$line
      continue
    fi
    names+=("\${line%%$'\\t'*}")
    shown+=("\${line/$'\\t'/  -- }")
  done < <(command skilled completion --words -- "\${typed[@]}" 2> /dev/null < /dev/null)
  case $kind in
    files) compset -P '*='; _files ;;
    folders) compset -P '*='; _files -/ ;;
    words) (($#names)) && compadd -l -d shown -a names ;;
  esac
}
if [[ $funcstack[1] == _skilled ]]; then
  _skilled "$@"
else
  compdef _skilled skilled
fi
`;

const fish = `# Completes skilled in fish: skilled completion fish > ~/.config/fish/completions/skilled.fish
function __skilled_complete
    set -l typed (commandline -opc)
    set -e typed[1]
    set -l current (commandline -ct)
    set -l lines (command skilled completion --words -- $typed "$current" 2>/dev/null </dev/null)
    set -l kind "$lines[1]"
    set -e lines[1]
    switch "$kind"
        case files
            __fish_complete_path "$current"
        case folders
            __fish_complete_directories "$current"
        case words
            printf '%s\\n' $lines
    end
end
complete --command skilled --no-files --arguments '(__skilled_complete)'
`;

/** The scripts by the names of their shells. Nothing is put into them: all that can change is asked for. */
const scripts: ReadonlyMap<string, string> = new Map([
  ['bash', bash],
  ['zsh', zsh],
  ['fish', fish],
]);
