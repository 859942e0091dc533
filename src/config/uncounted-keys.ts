import { readLayers, type SettingsSources } from './settings.ts';

/** The keys of a project's settings that do not count because nobody trusted it. */
export function uncountedKeys(sources: SettingsSources): readonly string[] {
  const { issues } = readLayers(sources);
  const keys = issues
    .filter(({ code }) => code === 'settings.untrusted')
    .flatMap(({ message }) => /^"(.+)" does not count/.exec(message)?.[1] ?? []);
  return [...new Set(keys)];
}
