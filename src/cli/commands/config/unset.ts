import { unsetInJson } from '../../../config/write/edit-json.ts';
import { keepTrust } from '../../../config/trust.ts';
import { settingsSources } from '../../../config/read/settings.ts';
import { keyOf } from '../../../config/schema/key.ts';
import { removeSetting } from '../../../config/write/write-setting.ts';
import type { Invocation } from '../../command.ts';
import { printJson } from '../../output/json.ts';
import { oneLine } from '../../output/text.ts';
import { fileWithValue } from './settings-file.ts';
import { namedKey } from './must-know-key.ts';

/** Takes a value out of a settings file, and prints the file; a value that is not there is no fault. */
export async function unsetSetting(invocation: Invocation): Promise<number> {
  const { flags, words, terminal } = invocation;
  const path = namedKey(words, 'unset');
  const place = fileWithValue(invocation, path);
  const keep = keepTrust(place, settingsSources(flags.cwd), (before) => unsetInJson(before, path));
  const removed = removeSetting(place, path);
  if (removed) await keep();
  if (flags.json) printJson(terminal, { ok: true, key: keyOf(path), removed, ...place });
  else if (removed) terminal.out(`${oneLine(place.file)}\n`);
  else if (!flags.quiet) terminal.err(`${oneLine(keyOf(path))} is not set in ${oneLine(place.file)}.\n`);
  return 0;
}
