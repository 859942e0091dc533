import { settingsFiles, type FileLayer, type SettingsFile } from '../../../config/paths.ts';
import { ownSettings, readLayers, settingsSources } from '../../../config/read/settings.ts';
import { unbelieved } from '../../../config/read/untrusted-project.ts';
import { valueAt, withKey } from '../../../config/schema/key.ts';
import { isInTrustedProject } from '../../../config/trust.ts';
import { settingsTarget } from '../../../config/write/write-setting.ts';
import { AgentError } from '../../../core/error.ts';
import type { Json } from '../../../core/json.ts';
import type { Invocation } from '../../command.ts';
import { mustBeFolder } from '../../must-be-folder.ts';

const layers: readonly FileLayer[] = ['user', 'project', 'local'];

/** The file that a value goes to; one that does not count in a project goes to the user's own unless another is named. */
export function fileForValue(invocation: Invocation, path: readonly string[], value: Json): SettingsFile {
  const sources = settingsSources(invocation.flags.cwd);
  const named = namedFile(invocation);
  if (named !== undefined) return named;
  const isOwn = unbelieved(withKey({}, path, value), ownSettings(sources)).length > 0;
  const target = settingsTarget(sources, undefined);
  return isOwn && !isInTrustedProject(target, sources) ? settingsTarget(sources, 'user') : target;
}

/** The file that a value is taken from: the one that is named, else the highest that has it. */
export function fileWithValue(invocation: Invocation, path: readonly string[]): SettingsFile {
  const named = namedFile(invocation);
  if (named !== undefined) return named;
  const sources = settingsSources(invocation.flags.cwd);
  const has = new Set(
    readLayers(sources)
      .layers.filter(({ values }) => valueAt(values, path) !== undefined)
      .map(({ from }) => from),
  );
  const found = settingsFiles(sources).findLast(({ file }) => has.has(file));
  return found ?? settingsTarget(sources, undefined);
}

function namedFile({ flags, own }: Invocation): SettingsFile | undefined {
  mustBeFolder(flags.cwd, '--cwd');
  if (flags.safe)
    throw new AgentError('usage.bad-input', '--safe ignores all settings files.', { hint: 'Leave it out.' });
  const [first, second] = layers.filter((layer) => own[layer] === true);
  if (second !== undefined)
    throw new AgentError('usage.bad-input', `--${String(first)} and --${second} are different files.`, {
      hint: 'Name one of them.',
    });
  return first === undefined ? undefined : settingsTarget(settingsSources(flags.cwd), first);
}
