import type { Command } from './command.ts';
import { commands } from './commands.ts';
import { commonHelp } from './common-help.ts';

/** The help of the program. */
export function overview(): string {
  const width = Math.max(...commands.map((command) => command.name.length));
  const lines = commands.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`);
  return `skilled reads any folder of skills and runs them.

Usage: skilled <command> [flags]

Commands:
${lines.join('\n')}

${commonHelp}
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
  return `${command.summary}\n\n${command.usage}\n\n${commonHelp}`;
}
