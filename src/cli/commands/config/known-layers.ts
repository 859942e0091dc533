import { readLayers } from '../../../config/settings.ts';
import type { SettingsLayer } from '../../../config/settings-layer.ts';
import { settingsSources } from '../../../config/settings-sources.ts';
import { describeIssue } from '../../../doctor/diagnostics.ts';
import type { Invocation } from '../../command.ts';
import { offlineLayer } from '../../model-flags.ts';
import { mustBeFolder } from '../../open-agent.ts';
import { oneLine } from '../../output/text.ts';

/** Every layer of the settings, lowest first; what is wrong with them is said on stderr. */
export function knownLayers({ flags, terminal }: Invocation): readonly SettingsLayer[] {
  mustBeFolder(flags.cwd, '--cwd');
  const { layers, issues } = readLayers(
    settingsSources(flags.cwd, { isSafe: flags.safe, flags: offlineLayer(flags) }),
  );
  if (!flags.quiet && !flags.json)
    for (const issue of issues) terminal.err(`${oneLine(describeIssue(issue))}\n`);
  return layers;
}
