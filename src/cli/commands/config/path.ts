import { existsSync } from 'node:fs';
import { settingsFiles } from '../../../config/paths.ts';
import { settingsSources } from '../../../config/read/settings.ts';
import type { Invocation } from '../../command.ts';
import { mustBeFolder } from '../../must-be-folder.ts';
import { printJson } from '../../output/json.ts';
import { oneLine } from '../../output/text.ts';

/** The settings files, highest precedence first, and whether they are there. */
export function showPaths({ flags, terminal }: Invocation): number {
  mustBeFolder(flags.cwd, '--cwd');
  const files = settingsFiles(settingsSources(flags.cwd, { isSafe: flags.safe }))
    .toReversed()
    .map(({ layer, file }) => ({ layer, file, exists: existsSync(file) }));
  if (flags.json) printJson(terminal, { ok: true, files });
  else
    for (const { layer, file, exists } of files)
      terminal.out(`${layer.padEnd(7)}  ${exists ? 'there ' : 'absent'}  ${oneLine(file)}\n`);
  return 0;
}
