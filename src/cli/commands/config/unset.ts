import { keyOf } from '../../../config/settings-key.ts';
import { removeSetting } from '../../../config/write-setting.ts';
import type { Invocation } from '../../command.ts';
import { printJson } from '../../output/json.ts';
import { oneLine } from '../../output/text.ts';
import { fileWithValue } from './settings-file.ts';
import { namedKey } from './must-know-key.ts';

/** Takes a value out of a settings file, and prints the file; a value that is not there is no fault. */
export function unsetSetting(invocation: Invocation): number {
  const { flags, words, terminal } = invocation;
  const path = namedKey(words, 'unset');
  const place = fileWithValue(invocation, path);
  const removed = removeSetting(place, path);
  if (flags.json) printJson(terminal, { ok: true, key: keyOf(path), removed, ...place });
  else if (removed) terminal.out(`${oneLine(place.file)}\n`);
  else if (!flags.quiet) terminal.err(`${oneLine(keyOf(path))} is not set in ${oneLine(place.file)}.\n`);
  return 0;
}
