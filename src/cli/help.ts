import type { Command } from './command.ts';
import { commands } from './commands.ts';

const flags = `Flags for every command:
  --json            one JSON document on stdout
  --skills <dir>    also use this folder of skills, before all others (repeatable)
  --only            with --skills: these folders and no others
  --safe            ignore the skills of the project, the user and plugins, settings files
                    and .env; deny what needs approval
  -y, --yes         allow once whatever needs approval
  --offline         ask no model, whatever is configured; --no-offline: the contrary
  --cwd <dir>       work in this folder
  -q, --quiet       no notes on stderr
  --no-color        plain text (NO_COLOR works too); --color: colours in any case
  -h, --help        help for a command
  -v, --version     the version
`;

/** The help of the program. */
export function overview(): string {
  const width = Math.max(...commands.map((command) => command.name.length));
  const lines = commands.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`);
  return `skilled reads any folder of skills and runs them.

Usage: skilled <command> [flags]

Commands:
${lines.join('\n')}

${flags}
Runs are kept in .skilled/skilled.db of the project. The environment variable SKILLED_STORE
names another file, or a postgres:// address; so does the setting "store". Records of tables
are kept in .skilled/tables.db, or where SKILLED_DATABASE or the setting "database" says.

Exit codes: 0 done, 1 failed, 2 usage, 3 something to fix in skills or settings,
4 a person must decide, 5 a limit, 6 model or network, 7 sandbox or store, 130 interrupted,
129 and 143 ended by a signal.
`;
}

/** The help of one command. */
export function helpFor(command: Command): string {
  return `${command.summary}\n\n${command.usage}\n\n${flags}`;
}
