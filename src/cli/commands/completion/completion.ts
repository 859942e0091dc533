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

zsh: add this line to ~/.zshrc, after the one with compinit
  source <(skilled completion zsh)

fish: write the script once
  skilled completion fish > ~/.config/fish/completions/skilled.fish
`;

/** `skilled completion`: prints the completion script for a shell, or how to install it. */
export function createCompletion(commands: readonly CommandEntry[]): CliCommand {
  return {
    summary: 'Print a script that completes commands, flags, skills and runs in your shell.',
    usage: `Usage: skilled completion bash|zsh|fish

Without a shell, prints how to install the script. The script calls skilled whenever you
press Tab, so it knows new skills and commands.

  source <(skilled completion bash)
  skilled completion fish > ~/.config/fish/completions/skilled.fish

  --words  used by the scripts: complete the last argument after --`,
    options: { words: { type: 'boolean' } },
    maxArgs: Infinity,
    async run(invocation) {
      mustBeFolder(invocation.flags.cwd, '--cwd');
      if (invocation.own['words'] === true) return answerShell(invocation, commands);
      const { flags, args, terminal } = invocation;
      const [shell] = args;
      const text = shell === undefined ? installing : scriptFor(args);
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
  const fault = script === undefined ? `No script for "${shell}".` : `Unexpected argument "${more}".`;
  const near = didYouMean(shell, scripts.keys());
  throw new AgentError('usage.bad-input', fault, {
    hint:
      (script === undefined ? near : undefined) ??
      `Run \`skilled completion bash\`; the shells are ${[...scripts.keys()].join(', ')}.`,
  });
}

/**
 * Prints the kind of completion on the first line, then one completion per line: the word, a tab and its
 * description.
 */
async function answerShell(
  { flags, args, terminal }: Invocation,
  commands: readonly CommandEntry[],
): Promise<number> {
  const { kind, offers } = await completeWords(args, commands, flags.cwd);
  if (flags.json) printJson(terminal, { ok: true, kind, words: offers });
  else terminal.out(`${kind}\n${offers.map(({ word, about }) => `${word}\t${about}\n`).join('')}`);
  return 0;
}

const bash = `# Completes skilled in bash: source <(skilled completion bash)
_skilled() {
  local rest=\${COMP_LINE:0:COMP_POINT} typed=() word breaks= mark kind= line prefix= i
  # Bash splits words at = : and @. Join them again, up to the cursor.
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

/** The completion scripts, keyed by shell. They contain no data and call `skilled` for all completions. */
const scripts: ReadonlyMap<string, string> = new Map([
  ['bash', bash],
  ['zsh', zsh],
  ['fish', fish],
]);
