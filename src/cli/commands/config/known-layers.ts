import { readLayers } from '../../../config/read/settings.ts';
import type { Invocation } from '../../command.ts';
import { limitLayers } from '../../limit-flags.ts';
import { modelSources } from '../../model-flags.ts';
import { mustBeFolder } from '../../must-be-folder.ts';
import { roleLayers } from '../../role-flags.ts';
import { sayFindings } from '../../say-findings.ts';

/** Every layer of the settings, lowest first, those of flags included; what is wrong with them is also said on stderr. */
export function knownLayers(invocation: Invocation): ReturnType<typeof readLayers> {
  mustBeFolder(invocation.flags.cwd, '--cwd');
  const { flags = [], ...sources } = modelSources(invocation);
  const known = readLayers({
    ...sources,
    flags: [...flags, ...limitLayers(invocation.own), ...roleLayers(invocation.lists)],
  });
  sayFindings(known.issues, invocation);
  return known;
}
