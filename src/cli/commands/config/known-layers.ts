import { readLayers } from '../../../config/settings.ts';
import type { SettingsLayer } from '../../../config/settings-layer.ts';
import { settingsSources } from '../../../config/settings-sources.ts';
import type { Invocation } from '../../command.ts';
import { offlineLayer } from '../../model-flags.ts';
import { mustBeFolder } from '../../open-agent.ts';
import { sayFindings } from '../../say-findings.ts';

/** Every layer of the settings, lowest first; what is wrong with them is said on stderr. */
export function knownLayers(invocation: Invocation): readonly SettingsLayer[] {
  const { flags } = invocation;
  mustBeFolder(flags.cwd, '--cwd');
  const { layers, issues } = readLayers(
    settingsSources(flags.cwd, { isSafe: flags.safe, flags: offlineLayer(flags) }),
  );
  sayFindings(issues, invocation);
  return layers;
}
