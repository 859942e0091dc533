import { settingsSources, uncountedKeys } from '../../../config/read/settings.ts';
import { ownTrustBook, projectDigest, projectState, trustedFiles } from '../../../config/trust.ts';
import { AgentError } from '../../../core/error.ts';
import type { Invocation } from '../../command.ts';
import { printJson } from '../../output/json.ts';
import { factLines } from './fact-lines.ts';

/** Trusts the settings of a project as they are now: all that they say counts. */
export async function grantProject({ flags, terminal }: Invocation, path: string): Promise<number> {
  const sources = settingsSources(path);
  const state = projectState(sources);
  const digest = state && projectDigest(state);
  if (state === undefined || digest === undefined)
    throw new AgentError('usage.not-found', `There is nothing to trust at ${path}.`, {
      hint: 'A project has .skilled/settings.json, .skilled/settings.local.json, .mcp.json or a .env with keys of models; a skill is named by its name or its folder, where `skilled list` has it (--cwd <dir>).',
    });
  const { folder } = state;
  const book = ownTrustBook();
  const counts = uncountedKeys(sources);
  const isKnown = book.isTrustedProject(folder, digest);
  await book.trustProject({ folder, digest });
  const files = trustedFiles(state);
  if (flags.json) {
    printJson(terminal, { ok: true, folder, digest, files, counts });
    return 0;
  }
  const head = isKnown ? 'This project was trusted already.' : 'This project is trusted as it is now.';
  terminal.out(
    `${head}\n\n${factLines({ folder, digest, files: files.join(', '), 'now counts': counts.join(', ') })}`,
  );
  if (!flags.quiet)
    terminal.err('All that these files say counts; skills that bring code are trusted one by one.\n');
  return 0;
}
